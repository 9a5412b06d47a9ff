//! What the person who starts a server should know of its mode.

use domain::caller::Mode;

use super::App;
use crate::data_dir::mode_name;

impl App {
    /// Logs the mode, and in live mode loudly what is missing before a payment can be made.
    ///
    /// # Errors
    /// The databases'.
    pub async fn log_mode(&self) -> anyhow::Result<()> {
        let mode = self.engine.settings().mode;
        tracing::info!(mode = mode_name(mode), "the mode of this installation");
        if mode == Mode::Test {
            return Ok(());
        }
        let teams = self.engine.teams().await?.len();
        let processors = self.engine.processors_in_use().await?;
        for line in missing(teams, &processors) {
            tracing::warn!("live mode: {line}");
        }
        Ok(())
    }
}

/// What a live installation lacks.
pub(super) fn missing(teams: usize, processors: &[String]) -> Vec<&'static str> {
    let mut lines = Vec::new();
    if teams == 0 {
        lines.push(
            "there is no team yet, so nobody can ask anything; make one with `pointsman team create` and \
             `pointsman key create`. To try the service without a processor: `pointsman serve --sandbox` in another data directory",
        );
    }
    if processors.is_empty() {
        lines.push(
            "no connection to a processor is configured, so no payment can be made; this release has no real processors yet, only the \
             sandbox's simulated one (`pointsman serve --sandbox`)",
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_until_it_is_there() {
        assert_eq!(missing(0, &[]).len(), 2);
        assert!(missing(0, &[])[0].contains("pointsman team create"));
        assert!(missing(0, &[])[1].contains("no real processors yet"));
        assert_eq!(missing(1, &["acme".to_owned()]), Vec::<&str>::new());
    }
}
