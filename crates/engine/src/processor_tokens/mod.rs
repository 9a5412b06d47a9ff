//! Processors' own tokens for stored cards.
//!
//! # How it works
//! A request is committed before the processor is asked, and its id is the reference: asked again under it the processor
//! does nothing twice. So whatever is not known (no answer, a crash, a customer who has or has not come back) is found
//! out by asking again, at the next call or when the customer returns. No money moves.
//!
//! A card has one open request at a connection; it ends with the token, with a refusal, or when the customer's time is
//! over. Every change of it is a version, guarded by the one before.

mod ask;
mod linked;
mod request;
mod returns;

pub use linked::LinkedGateway;
pub use request::ProcessorTokenWanted;
pub use returns::TokenReturn;
