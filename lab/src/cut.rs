//! A client that goes away: its handler is dropped at any point at which it waits.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

/// Work that is dropped after so many polls.
pub(crate) struct CutAfter<F> {
    work: Option<Pin<Box<F>>>,
    left: u32,
}

impl<F: Future> CutAfter<F> {
    /// `work`, polled at most `polls` times.
    pub(crate) fn new(work: F, polls: u32) -> Self {
        Self {
            work: Some(Box::pin(work)),
            left: polls,
        }
    }
}

impl<F: Future> Future for CutAfter<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.left == 0 {
            self.work = None;
        }
        self.left = self.left.saturating_sub(1);
        match &mut self.work {
            Some(work) => work.as_mut().poll(context).map(Some),
            None => Poll::Ready(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn work_is_dropped_after_its_polls() {
        let slow = || async {
            for _ in 0..3 {
                futures_util::pending!();
            }
            7
        };
        let end = |polls: u32| {
            let mut cut = CutAfter::new(slow(), polls);
            (0..10).find_map(|_| (&mut cut).now_or_never())
        };
        assert_eq!(end(0), Some(None));
        assert_eq!(end(3), Some(None));
        assert_eq!(end(4), Some(Some(7)));
    }
}
