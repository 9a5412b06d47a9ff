//! Making what bears a date: the date is drawn as late as possible, and again when the commit came too late for it.

use db::Date;
use domain::Fault;

use crate::{Engine, faults::Stop};

/// How often a date is drawn for one thing. Each that is refused for its age has taken two seconds, so that a request's time is
/// over by then.
const DRAWS: u32 = 12;

/// How often a date was drawn for one thing.
#[derive(Debug, Default)]
pub(crate) struct Draws(u32);

impl Engine {
    /// Draws a date, to be borne by the commit that follows ([`db::Change::dated`]). When that ends in [`Stop::Outdated`]
    /// nothing was written, and it is made again with another date.
    ///
    /// # Errors
    /// `error.unavailable` when commits never come in time.
    pub(crate) async fn draw_date(&self, draws: &mut Draws) -> Result<Date, Stop> {
        if draws.0 >= DRAWS {
            tracing::warn!("commits take longer than a date may be old");
            return Err(Fault::unavailable().into());
        }
        draws.0 += 1;
        Ok(self.inner.store.draw_date().await?)
    }
}
