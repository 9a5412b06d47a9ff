//! The dispute desk: customers, issuers and networks, who open disputes of captured payments and move them on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use connectors::simulator::{DisputeState, Entry};
use domain::{
    Timestamp,
    dispute::{DisputeReason, DisputeStage, DisputeStatus},
    money::{Currency, Money},
};

use super::Bank;
use crate::chance::Chance;

/// At most so many disputes are opened by the desk.
const MOST: usize = 24;
/// At most so many of one payment.
const MOST_OF_ONE: usize = 3;
/// So often the desk looks at what is open once the shop has closed.
const LAST_MOVES: usize = 12;

/// The desk.
pub(crate) struct Desk {
    bank: Arc<Bank>,
    chance: Chance,
    opened: usize,
}

impl Desk {
    pub(crate) fn new(bank: &Arc<Bank>, chance: Chance) -> Self {
        Self {
            bank: Arc::clone(bank),
            chance,
            opened: 0,
        }
    }

    /// Works until the shop has closed, and moves on what is open then.
    pub(crate) async fn work(mut self, closed: Arc<AtomicBool>) {
        while !closed.load(Ordering::SeqCst) {
            let pause = self.chance.millis(300, 6_000);
            self.bank.world.sleep(pause).await;
            if self.chance.one_in(3) {
                self.opens().await;
            } else {
                self.moves().await;
            }
        }
        for _ in 0..LAST_MOVES {
            let pause = self.chance.millis(1_000, 60_000);
            self.bank.world.sleep(pause).await;
            self.moves().await;
        }
    }

    /// A customer disputes a payment, or one that is disputed already.
    async fn opens(&mut self) {
        let now = self.bank.world.now();
        let captured = |entry: &Entry| {
            let is_own = entry.token.is_none() && entry.elsewhere.is_none();
            entry.captured(now) > 0 && is_own && entry.disputes.len() < MOST_OF_ONE
        };
        let mut entries = self.bank.ledger.kept();
        entries.retain(captured);
        let index = self.chance.index(entries.len());
        let Some(entry) = entries.get(index).filter(|_| self.opened < MOST) else {
            return;
        };
        self.opened += 1;
        let first = self.first(entry, now);
        let opened = self
            .bank
            .simulator
            .change_entry(&entry.reference, |entry| {
                Some(entry.open_dispute(first.clone()))
            })
            .await;
        if opened.is_ok() {
            self.bank.faults.add("dispute: opened");
        }
    }

    /// A dispute takes its next step.
    async fn moves(&mut self) {
        let entries = self.bank.ledger.kept();
        let disputes = entries.iter().flat_map(|entry| {
            let of_it = entry.disputes.iter();
            of_it.filter_map(move |dispute| Some((entry, dispute, dispute.last()?)))
        });
        let now = self.bank.world.now();
        let open: Vec<_> = disputes.filter(|one| one.2.from <= now).collect();
        let index = self.chance.index(open.len());
        let Some((entry, dispute, last)) = open.get(index) else {
            return;
        };
        let Some(next) = self.next(last, now) else {
            return;
        };
        let moved = self
            .bank
            .simulator
            .change_entry(&entry.reference, |entry| {
                entry.move_dispute(&dispute.id, next.clone()).then_some(())
            })
            .await;
        if moved.is_ok() {
            self.bank.faults.add("dispute: moved on");
        }
    }

    fn first(&mut self, entry: &Entry, now: Timestamp) -> DisputeState {
        let (status, stage) = self.chance.pick(
            (DisputeStatus::NeedsResponse, DisputeStage::Chargeback),
            &[
                (DisputeStatus::NeedsResponse, DisputeStage::Chargeback),
                (DisputeStatus::NeedsResponse, DisputeStage::Inquiry),
                (DisputeStatus::Notification, DisputeStage::Inquiry),
                (DisputeStatus::Lost, DisputeStage::Chargeback),
            ],
        );
        let whole = entry.money.minor();
        let minor = match self.chance.below(3) {
            0 => self.chance.between(1, whole),
            _ => whole,
        };
        let own = entry.money.currency();
        let other = Currency::parse("GBP").filter(|_| self.chance.one_in(6));
        DisputeState {
            from: now,
            status,
            stage,
            reason: self.chance.pick(
                DisputeReason::Fraud,
                &[
                    DisputeReason::CustomerDisputes,
                    DisputeReason::ProcessingErrors,
                ],
            ),
            money: Money::new(minor, other.unwrap_or(own)),
            respond_by: Some(self.respond_by(now)),
        }
    }

    /// A week, or so little that a warning is due at once or soon.
    fn respond_by(&mut self, now: Timestamp) -> Timestamp {
        let soon = self.chance.pick(
            Duration::from_hours(7 * 24),
            &[
                Duration::from_hours(7 * 24),
                Duration::from_mins(3),
                Duration::from_hours(71),
            ],
        );
        now.after(soon)
    }

    /// What may follow. Source: behaviour contract, section 10.
    fn next(&mut self, last: &DisputeState, now: Timestamp) -> Option<DisputeState> {
        use DisputeStatus as S;
        let same = last.stage;
        let (status, stage) = match last.status {
            S::Notification => self.chance.pick(
                (S::NeedsResponse, DisputeStage::Chargeback),
                &[
                    (S::NeedsResponse, DisputeStage::Inquiry),
                    (S::Closed, same),
                    (S::Refunded, same),
                ],
            ),
            S::NeedsResponse => self.chance.pick(
                (S::SentForReview, same),
                &[(S::SentForReview, same), (S::Closed, same), (S::Lost, same)],
            ),
            S::SentForReview => self
                .chance
                .pick((S::UnderReview, same), &[(S::Refunded, same)]),
            S::UnderReview => self
                .chance
                .pick((S::Won, same), &[(S::Won, same), (S::Lost, same)]),
            S::Won | S::Lost => (S::NeedsResponse, later(same)?),
            S::Closed | S::Refunded => return None,
        };
        let asks_again = status == S::NeedsResponse;
        Some(DisputeState {
            from: now,
            status,
            stage,
            reason: last.reason,
            money: last.money,
            respond_by: if asks_again {
                Some(self.respond_by(now))
            } else {
                last.respond_by
            },
        })
    }
}

/// The stage behind a stage.
const fn later(stage: DisputeStage) -> Option<DisputeStage> {
    match stage {
        DisputeStage::Inquiry => Some(DisputeStage::Chargeback),
        DisputeStage::Chargeback => Some(DisputeStage::PreArbitration),
        DisputeStage::PreArbitration => Some(DisputeStage::Arbitration),
        DisputeStage::Arbitration => None,
    }
}
