//! What the databases share: changes that wait, and the rules by which a batch of them is judged.

mod answer;
mod failing;
mod queue;
mod verdict;

pub(crate) use answer::{answer, begin_counting, failing, measure, refused};
pub(crate) use failing::Failing;
pub(crate) use queue::{Answer, Arrival, Company, Job, Queue, QueueTicket, Work};
pub use verdict::Refusal;
pub(crate) use verdict::{Ahead, Traces, Verdict, repeats_a_value, shown, weigh};
