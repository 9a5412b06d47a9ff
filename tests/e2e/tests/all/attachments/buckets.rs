//! Attachments in an object store.

use std::thread;

use testkit::{ObjectStore, PATIENCE, Setup, cards, until};

use super::{PDF, PDF_TYPE};

#[test]
fn every_request_is_signed_and_damage_is_noticed() {
    let store = ObjectStore::start();
    let server = Setup::new().with_bucket(&store).start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    shop.attach(&payment, PDF);
    let listed = shop.attachments(&payment);
    let url = listed[0]["accessUrl"].as_str().unwrap();
    assert_eq!(shop.download(url).body, PDF);
    assert_eq!(store.forged(), 0);
    let keys = store.keys();
    assert_eq!(keys, [listed[0]["objectKey"].as_str().unwrap()]);
    store.damage(&keys[0], b"%PDF-1.7 another one");
    let damaged = shop.download(url);
    assert_eq!(damaged.status, 500, "{}", damaged.text());
    assert!(!damaged.text().contains("another"));
}

#[test]
fn a_wrong_secret_is_refused_there_and_said_by_check() {
    let store = ObjectStore::start();
    let server = Setup::new()
        .with_bucket(&store)
        .setting("attachments.secret_key", "another secret")
        .start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    let url = shop.upload_url(&payment, "a.pdf", PDF_TYPE);
    assert_eq!(shop.upload(&url, PDF).status, 503);
    assert!(shop.attachments(&payment).is_empty() && store.keys().is_empty());
    let checked = server.run(&["check", "--sandbox"]);
    assert!(checked.contains("SignatureDoesNotMatch"), "{checked}");
    assert!(!checked.contains("another secret") && !server.log().contains("another secret"));
}

#[test]
fn while_the_store_is_away_nothing_is_listed_and_the_same_file_can_be_sent_later() {
    let store = ObjectStore::start();
    let server = Setup::new().with_bucket(&store).start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    let url = shop.upload_url(&payment, "a.pdf", PDF_TYPE);
    store.set_away(true);
    assert_eq!(shop.upload(&url, PDF).status, 503);
    assert!(shop.attachments(&payment).is_empty());
    // Money does not wait for files.
    shop.authorise(cards::VISA).assert_status("SUCCEEDED");
    store.set_away(false);
    assert_eq!(shop.upload(&url, PDF).status, 201);
    assert_eq!(shop.attachments(&payment).len(), 1);
}

#[test]
fn killed_between_the_content_and_its_row_nothing_is_listed_and_nothing_is_lost() {
    let store = ObjectStore::start();
    let mut server = Setup::new().with_bucket(&store).start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    let url = shop.upload_url(&payment, "a.pdf", PDF_TYPE);
    store.hold(true);
    let waiting = {
        let (address, path) = (shop.address(), testkit::path_of(&url));
        thread::spawn(move || {
            let request = testkit::http::Request::new("PUT", path).body(PDF);
            request.try_send(address)
        })
    };
    // The content is written, and the service does not know it.
    until(PATIENCE, "the content is written", || {
        (store.puts() == 1).then_some(())
    });
    server.kill();
    assert!(waiting.join().unwrap().is_err());
    store.hold(false);
    server.restart();
    let shop = server.shop();
    assert!(shop.attachments(&payment).is_empty());
    assert_eq!(shop.upload(&url, PDF).status, 201);
    let listed = shop.attachments(&payment);
    assert_eq!(listed.len(), 1);
    let found = shop.download(listed[0]["accessUrl"].as_str().unwrap());
    assert_eq!(found.body, PDF);
    // What was written first has a key of its own, and is removed by a job an hour later.
    assert_eq!(store.keys().len(), 2);
}

#[test]
fn any_node_takes_and_hands_out_what_another_one_promised() {
    let store = ObjectStore::start();
    let server = Setup::new()
        .on(testkit::Backend::Postgres)
        .with_bucket(&store)
        .start();
    let other = server.join();
    let (one, two) = (server.shop(), other.shop());
    let payment = one.authorise(cards::VISA).id();
    let url = one.upload_url(&payment, "a.pdf", PDF_TYPE);
    assert_eq!(two.upload(&url, PDF).status, 201);
    let listed = one.attachments(&payment);
    let found = two.download(listed[0]["accessUrl"].as_str().unwrap());
    assert_eq!((found.status, found.body.as_slice()), (200, PDF));
}
