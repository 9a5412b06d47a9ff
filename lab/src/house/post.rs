//! Notifications of processors come in at a node.

use std::sync::{Arc, Weak};

use engine::{Inbound, NotificationAnswer};

use super::{House, Running};
use crate::{
    bank::{Carrier, Letter, PostOffice, Verdict},
    chance::Chance,
};

/// What takes letters to the nodes of a house.
fn carrier(house: &Weak<House>) -> Carrier {
    let house = house.clone();
    Arc::new(move |node, letter| {
        let house = house.clone();
        Box::pin(async move { house.upgrade()?.notify(node, letter).await })
    })
}

impl House {
    /// Processors send notifications from now on.
    pub(super) fn open_post(self: &Arc<Self>, chance: Chance) {
        let carrier = carrier(&Arc::downgrade(self));
        let office = PostOffice::new(&self.bank, chance, self.nodes(), carrier);
        self.world.spawn(Arc::clone(&office).run());
        // Opened once.
        let _ = self.post.set(office);
    }

    /// What carries the notifications of processors.
    pub(crate) fn post(&self) -> Option<&PostOffice> {
        self.post.get().map(AsRef::as_ref)
    }

    /// A notification comes in at a node. `None`: nobody answered, or that it is to be sent again.
    async fn notify(&self, node: usize, letter: Letter) -> Option<Verdict> {
        self.counts.add("(notifications that came in)");
        let served = self.running(node)?;
        let work = async move { received(&served, letter).await };
        self.at(node, work, None).await?
    }
}

async fn received(served: &Running, letter: Letter) -> Option<Verdict> {
    let engine = &served.engine;
    let address = engine.notification_address(&letter.token).await.ok()??;
    let inbound = Inbound {
        headers: vec![
            ("webhook-id".to_owned(), letter.id),
            ("webhook-timestamp".to_owned(), letter.time.to_string()),
            ("webhook-signature".to_owned(), letter.signature),
        ],
        body: letter.body.into_bytes(),
    };
    match engine.receive_notification(address, inbound).await.ok()? {
        NotificationAnswer::Accepted => Some(Verdict::Accepted),
        NotificationAnswer::Refused(_) => Some(Verdict::NotGenuine),
    }
}
