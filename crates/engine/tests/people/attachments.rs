//! What becomes of attachments with time.

use std::time::Duration;

use bytes::Bytes;
use domain::{attachment::Subject, id::PaymentId};
use engine::{CreateAttachment, UploadAddress, UploadError};

use crate::{cards, shop::Shop};

const PDF: &[u8] = b"%PDF-1.7\n%%EOF\n";
const MINUTE: Duration = Duration::from_mins(1);

fn paid(shop: &Shop) -> PaymentId {
    let customer = shop.create_customer("Ada");
    shop.add(customer, cards::VISA);
    shop.pay(customer, None).result.unwrap().id()
}

fn ask(shop: &Shop, payment: PaymentId) -> UploadAddress {
    let command = CreateAttachment {
        subject: Subject::Payment(payment),
        name: "receipt.pdf".to_owned(),
        kind: "application/pdf".to_owned(),
    };
    shop.run(shop.engine.create_attachment(&shop.server, command))
        .unwrap()
}

fn token(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

fn upload(shop: &Shop, address: &UploadAddress) {
    let grant = shop.engine.admit_upload(token(&address.url)).unwrap();
    let content = Bytes::from_static(PDF);
    shop.run(shop.engine.take_upload(grant, content)).unwrap();
}

#[test]
fn addresses_are_good_for_fifteen_minutes() {
    let shop = Shop::open(21);
    let payment = paid(&shop);
    let address = ask(&shop, payment);
    shop.pass(14 * MINUTE);
    assert!(shop.engine.admit_upload(token(&address.url)).is_ok());
    upload(&shop, &address);
    let listed = shop
        .run(
            shop.engine
                .attachments_of_one(&shop.server, Subject::Payment(payment)),
        )
        .unwrap();
    let url = &listed[0].access_url;
    let download = || shop.run(shop.engine.download_attachment(token(url)));
    shop.pass(14 * MINUTE);
    assert_eq!(download().unwrap().content, PDF);
    assert_eq!(
        shop.engine.admit_upload(token(&address.url)),
        Err(UploadError::Expired)
    );
    shop.pass(MINUTE);
    assert!(download().is_err());
}

#[test]
fn content_that_did_not_become_an_attachment_is_removed_after_an_hour() {
    let shop = Shop::open(22);
    shop.engine.start();
    let payment = paid(&shop);
    let address = ask(&shop, payment);
    shop.files.set_silent(true);
    let grant = shop.engine.admit_upload(token(&address.url)).unwrap();
    let (engine, world) = (shop.engine.clone(), shop.world.clone());
    let answered = shop.run(async move {
        let upload = engine.take_upload(grant, Bytes::from_static(PDF));
        world.timeout(MINUTE, upload).await
    });
    assert!(answered.is_err(), "nobody learns of it");
    assert_eq!(shop.files.keys().len(), 1);
    shop.files.set_silent(false);
    upload(&shop, &address);
    assert_eq!(shop.files.keys().len(), 2);
    shop.pass(58 * MINUTE);
    assert_eq!(shop.files.keys().len(), 2);
    shop.pass(5 * MINUTE);
    let listed = shop
        .run(
            shop.engine
                .attachments_of_one(&shop.server, Subject::Payment(payment)),
        )
        .unwrap();
    assert_eq!(
        shop.files.keys(),
        [listed[0].attachment.object_key.as_str()]
    );
    assert_eq!(shop.count("attachment_object"), 1);
}

#[test]
fn a_deleted_attachment_is_gone_at_once_and_its_content_a_day_later() {
    let shop = Shop::open(23);
    shop.engine.start();
    let payment = paid(&shop);
    let address = ask(&shop, payment);
    upload(&shop, &address);
    shop.run(shop.engine.delete_attachment(&shop.server, address.id))
        .unwrap();
    let listed = shop
        .run(
            shop.engine
                .attachments_of_one(&shop.server, Subject::Payment(payment)),
        )
        .unwrap();
    assert!(listed.is_empty());
    // A backup that was begun before finds it still.
    shop.pass(23 * 60 * MINUTE);
    assert_eq!(shop.files.keys().len(), 1);
    shop.pass(61 * MINUTE + MINUTE);
    assert!(shop.files.keys().is_empty());
    assert_eq!(shop.count("attachment"), 0);
    assert_eq!(shop.count("attachment_object"), 0);
}

#[test]
fn uploads_at_the_same_moment_share_the_limits_of_a_payment() {
    let shop = Shop::open(24);
    let payment = paid(&shop);
    let addresses: Vec<UploadAddress> = (0..20).map(|_| ask(&shop, payment)).collect();
    let more: Vec<UploadAddress> = (0..10).map(|_| ask(&shop, payment)).collect();
    let stories = addresses.iter().chain(&more).map(|address| {
        let grant = shop.engine.admit_upload(token(&address.url)).unwrap();
        // Half of them at another node.
        let engine = if address.id.uuid().as_u128() % 2 == 0 {
            shop.engine.clone()
        } else {
            shop.another_node()
        };
        let story: futures_util::future::BoxFuture<'static, bool> = Box::pin(async move {
            let content = Bytes::from_static(PDF);
            engine.take_upload(grant, content).await.is_ok()
        });
        story
    });
    let kept = shop.at_once(stories.collect());
    assert_eq!(kept.iter().filter(|kept| **kept).count(), 20);
    assert_eq!(shop.count("attachment"), 20);
}

fn try_ask(shop: &Shop, payment: PaymentId) -> Result<UploadAddress, domain::Fault> {
    let command = CreateAttachment {
        subject: Subject::Payment(payment),
        name: "receipt.pdf".to_owned(),
        kind: "application/pdf".to_owned(),
    };
    shop.run(shop.engine.create_attachment(&shop.server, command))
}

#[test]
fn files_that_are_uploaded_and_deleted_in_a_loop_count_for_a_day() {
    let shop = Shop::open(24);
    let payment = paid(&shop);
    let kept_ready = ask(&shop, payment);
    for _ in 0..100 {
        let address = ask(&shop, payment);
        upload(&shop, &address);
        let deleted = shop.engine.delete_attachment(&shop.server, address.id);
        shop.run(deleted).unwrap();
    }
    let refused = try_ask(&shop, payment).unwrap_err();
    assert_eq!(refused.code, domain::Code::Validation);
    assert!(refused.message.contains("tomorrow"), "{}", refused.message);
    // Neither does an address help that was handed out before.
    let grant = shop.engine.admit_upload(token(&kept_ready.url)).unwrap();
    let content = Bytes::from_static(PDF);
    let refused = shop.run(shop.engine.take_upload(grant, content));
    assert_eq!(
        refused.unwrap_err(),
        UploadError::Refused(domain::attachment::Refused::TooMuchDeleted)
    );
    shop.engine.start();
    shop.pass(Duration::from_hours(25));
    upload(&shop, &ask(&shop, payment));
}

#[test]
fn while_the_disk_has_too_little_room_files_are_refused() {
    let shop = Shop::open(25);
    let payment = paid(&shop);
    let address = ask(&shop, payment);
    shop.files.set_full(true);
    let refused = try_ask(&shop, payment).unwrap_err();
    assert_eq!(refused.code, domain::Code::Unavailable);
    let grant = shop.engine.admit_upload(token(&address.url)).unwrap();
    let content = Bytes::from_static(PDF);
    let refused = shop.run(shop.engine.take_upload(grant, content.clone()));
    assert!(matches!(refused, Err(UploadError::Fault(_))), "{refused:?}");
    assert_eq!(shop.files.keys().len(), 0, "nothing of it stays");
    shop.files.set_full(false);
    upload(&shop, &address);
}
