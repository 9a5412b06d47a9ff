//! The life of a file: asked for, uploaded, listed, downloaded, deleted.

use serde_json::{Value, json};
use testkit::{ObjectStore, Server, Setup, at_once, cards, path_of};

use super::{PDF, PDF_TYPE, PNG};

/// A server that keeps attachments wherever its databases are.
fn server() -> Server {
    Setup::new().with_bucket(&ObjectStore::start()).start()
}

#[test]
fn a_file_is_uploaded_listed_downloaded_and_deleted() {
    let server = server();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    assert!(shop.attachments(&payment).is_empty());
    let asked = shop.ask_to_attach(&payment, "Lieferschein №7.pdf", PDF_TYPE);
    let address = asked.root().clone();
    assert_eq!(address["method"], "PUT");
    assert_eq!(address["maxBytes"], 10 * 1024 * 1024);
    let url = address["url"].as_str().unwrap();
    // Neither the address nor what is listed holds a credential.
    assert!(!url.contains(shop.credential()), "{url}");
    // An address alone makes nothing.
    assert!(shop.attachments(&payment).is_empty());
    let stored = shop.upload(url, PDF);
    assert_eq!(stored.status, 201, "{}", stored.text());
    let listed = shop.attachments(&payment);
    assert_eq!(listed.len(), 1, "{listed:?}");
    let one = &listed[0];
    assert_eq!(one["id"], address["id"]);
    assert_eq!(one["fileName"], "Lieferschein №7.pdf");
    assert_eq!(one["contenttype"], PDF_TYPE);
    assert_eq!(one["contentType"], PDF_TYPE);
    assert_eq!(one["size"], PDF.len());
    assert!(one["objectKey"].is_string() && one["sha256"].is_string());
    let found = shop.download(one["accessUrl"].as_str().unwrap());
    assert_eq!((found.status, found.body.as_slice()), (200, PDF));
    // It is only ever saved, never shown in our origin.
    let disposition = found.header("content-disposition").unwrap();
    assert_eq!(
        disposition,
        "attachment; filename=\"Lieferschein _7.pdf\"; filename*=UTF-8''Lieferschein%20%E2%84%967.pdf"
    );
    assert_eq!(found.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(found.header("content-type"), Some(PDF_TYPE));
    let policy = found.header("content-security-policy").unwrap();
    assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"));
    assert_eq!(found.header("cache-control"), Some("private, no-store"));

    let id = one["id"].as_str().unwrap();
    let delete = |id: &str| {
        shop.gql(
            "mutation($id: ID!) { deleteAttachment(id: $id) }",
            json!({ "id": id }),
        )
    };
    assert_eq!(delete(id).root(), &json!(true));
    delete(id).assert_error("error.attachment.not-found");
    assert!(shop.attachments(&payment).is_empty());
    let gone = shop.download(one["accessUrl"].as_str().unwrap());
    assert_eq!(gone.status, 404, "{}", gone.text());
    // The address that it was uploaded to makes it no more.
    assert_eq!(shop.upload(url, PDF).status, 409);
    assert!(shop.attachments(&payment).is_empty());
}

#[test]
fn the_same_file_may_be_sent_again_and_another_may_not() {
    let server = server();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    let url = shop.upload_url(&payment, "a.pdf", PDF_TYPE);
    assert_eq!(shop.upload(&url, PDF).status, 201);
    assert_eq!(shop.upload(&url, PDF).status, 200);
    let other = [PDF, b"\n"].concat();
    assert_eq!(shop.upload(&url, &other).status, 409);
    assert_eq!(shop.attachments(&payment).len(), 1);
    // Of files that arrive at the same time at one address one is kept.
    let url = shop.upload_url(&payment, "b.pdf", PDF_TYPE);
    let kept = at_once(4, |n| {
        let content = [PDF, n.to_string().as_bytes()].concat();
        shop.upload(&url, &content).status
    });
    assert_eq!(kept.iter().filter(|status| **status == 201).count(), 1);
    let refused = kept.iter().filter(|status| [409, 429].contains(*status));
    assert_eq!(refused.count(), 3, "{kept:?}");
    assert_eq!(shop.attachments(&payment).len(), 2);
}

#[test]
fn a_payment_shows_its_attachments_to_servers_and_lists_read_them_at_once() {
    let server = server();
    let shop = server.shop();
    let client = shop.client(json!({"amount": 1000, "currency": "EUR"}));
    let made = client.authorise(cards::VISA);
    let plain = shop.authorise(cards::VISA);
    shop.attach(&made.id(), PDF);
    let url = shop.upload_url(&made.id(), "b.png", "image/png");
    assert_eq!(shop.upload(&url, PNG).status, 201);
    let one = "query($id: ID!) { getPayment(id: $id) { attachments { fileName accessUrl } } }";
    let names = |found: &Value| -> Vec<String> {
        let files = found["attachments"].as_array().unwrap().iter();
        files
            .map(|file| file["fileName"].as_str().unwrap().to_owned())
            .collect()
    };
    let seen = shop.gql(one, json!({"id": made.id()}));
    assert_eq!(names(seen.root()), ["receipt.pdf", "b.png"]);
    let of_browser = client.gql(one, json!({"id": made.id()}));
    assert!(names(of_browser.root()).is_empty());
    let listed = shop.gql(
        "{ listPayments { edges { node { id attachments { fileName } } } } }",
        json!({}),
    );
    let edges = listed.root()["edges"].as_array().unwrap();
    for edge in edges {
        let node = &edge["node"];
        let expected = if node["id"] == json!(made.id()) { 2 } else { 0 };
        assert_eq!(names(node).len(), expected, "{node}");
    }
    assert!(
        edges
            .iter()
            .any(|edge| edge["node"]["id"] == json!(plain.id()))
    );
}

#[test]
fn an_address_is_good_for_nothing_else() {
    let server = server();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    let up = shop.upload_url(&payment, "a.pdf", PDF_TYPE);
    assert_eq!(shop.upload(&up, PDF).status, 201);
    let down = shop.attachments(&payment)[0]["accessUrl"].clone();
    let down = down.as_str().unwrap().to_owned();
    // An upload's permission opens no download, and the other way round.
    let token = up.rsplit('/').next().unwrap();
    let swapped = format!("/attachments/{token}");
    assert_eq!(shop.download(&swapped).status, 404);
    let token = down.rsplit('/').next().unwrap();
    let swapped = format!("/attachments/upload/{token}");
    assert_eq!(shop.upload(&swapped, PDF).status, 404);
    // A letter that is another one.
    for url in [&up, &down] {
        let path = path_of(url);
        let at = path.rfind('/').unwrap() + 8;
        let mut altered = path.clone().into_bytes();
        altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
        let altered = String::from_utf8(altered).unwrap();
        assert_eq!(
            shop.download(&altered).status,
            if url == &up { 405 } else { 404 }
        );
        assert_eq!(
            shop.upload(&altered, PDF).status,
            if url == &up { 404 } else { 405 }
        );
    }
}
