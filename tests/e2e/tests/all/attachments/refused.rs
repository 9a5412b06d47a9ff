//! Files that are not taken.

use std::{
    collections::BTreeSet,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpStream},
};

use serde_json::json;
use testkit::{Backend, ObjectStore, PATIENCE, Setup, cards, path_of};

use super::{PDF, PDF_TYPE, PNG};

#[test]
fn what_a_file_is_is_judged_by_its_content() {
    let server = Setup::new().with_bucket(&ObjectStore::start()).start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    let url = shop.upload_url(&payment, "invoice.pdf", PDF_TYPE);
    let hostile: [&[u8]; 6] = [
        b"<!DOCTYPE html><script>alert(document.domain)</script>",
        b"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>",
        b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff",
        b"PK\x03\x04\x14\0\0\0",
        b"#!/bin/sh\nrm -rf /\n",
        PNG,
    ];
    for content in hostile {
        let refused = shop.upload(&url, content);
        assert_eq!(refused.status, 415, "{}", refused.text());
        // What was sent is not repeated.
        assert!(!refused.text().contains("alert"), "{}", refused.text());
    }
    assert_eq!(shop.upload(&url, b"").status, 400);
    assert!(shop.attachments(&payment).is_empty());
    // The address is good still for what it was asked for.
    assert_eq!(shop.upload(&url, PDF).status, 201);
}

#[test]
fn what_is_asked_for_is_judged_first() {
    let server = Setup::new().with_bucket(&ObjectStore::start()).start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    let ask = |name, kind| shop.ask_to_attach(&payment, name, kind);
    ask("a.html", "text/html").assert_invalid("type");
    for name in [
        "",
        "..",
        "../../etc/passwd",
        "a\\b.pdf",
        "a\u{0}.pdf",
        "4242424242424242.pdf",
    ] {
        ask(name, PDF_TYPE).assert_invalid("name");
    }
    let unknown = "payments:0192a000-0000-7000-8000-000000000000";
    shop.ask_to_attach(unknown, "a.pdf", PDF_TYPE)
        .assert_error("error.payment.not-found");
    let client = shop.client(json!({}));
    client
        .ask_to_attach(&payment, "a.pdf", PDF_TYPE)
        .assert_error("api.key.forbidden");
}

#[test]
fn files_are_bounded_one_by_one_and_together() {
    let server = Setup::new()
        .with_bucket(&ObjectStore::start())
        .setting("attachments.max_file", "4KiB")
        .setting("attachments.max_total", "10KiB")
        .setting("attachments.max_files", "4")
        .start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    let file = |bytes: usize| {
        let mut content = PDF.to_vec();
        content.resize(bytes, b'\n');
        content
    };
    let url = shop.upload_url(&payment, "a.pdf", PDF_TYPE);
    assert_eq!(shop.upload(&url, &file(4097)).status, 413);
    // Also without a declared length.
    assert_eq!(chunked(shop.address(), &path_of(&url), &file(4097)), "413");
    assert!(shop.attachments(&payment).is_empty());
    // Addresses are asked for first: they are judged again when a file comes.
    let urls: Vec<String> = (0..4)
        .map(|_| shop.upload_url(&payment, "a.pdf", PDF_TYPE))
        .collect();
    assert_eq!(shop.upload(&urls[0], &file(4096)).status, 201);
    assert_eq!(shop.upload(&urls[1], &file(4096)).status, 201);
    let refused = shop.upload(&urls[2], &file(4096));
    assert_eq!(refused.status, 409, "{}", refused.text());
    assert_eq!(shop.upload(&urls[2], &file(100)).status, 201);
    assert_eq!(shop.upload(&urls[3], &file(101)).status, 201);
    let full = shop.ask_to_attach(&payment, "a.pdf", PDF_TYPE);
    full.assert_error("error.validation");
    assert!(
        full.message().contains("4 attachments"),
        "{}",
        full.message()
    );
    assert_eq!(shop.upload(&url, &file(102)).status, 409);
    assert_eq!(shop.attachments(&payment).len(), 4);
}

/// Uploads without saying how long the content is; the status.
fn chunked(address: SocketAddr, path: &str, content: &[u8]) -> String {
    let head = format!(
        "PUT {path} HTTP/1.1\r\nHost: {address}\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n",
        content.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    let request = [head.as_bytes(), content, b"\r\n0\r\n\r\n"].concat();
    stream.write_all(&request).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line.split_whitespace().nth(1).unwrap().to_owned()
}

#[test]
fn several_nodes_without_an_object_store_keep_none_and_say_so() {
    let server = Setup::new().on(Backend::Postgres).start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    let refused = shop.ask_to_attach(&payment, "a.pdf", PDF_TYPE);
    refused.assert_error("error.attachment.switched-off");
    assert!(
        refused.message().contains("attachments.bucket"),
        "{}",
        refused.message()
    );
    assert!(shop.attachments(&payment).is_empty());
    let checked = server.run(&["check", "--sandbox"]);
    assert!(checked.contains("no object store is named"), "{checked}");
}

/// Begins an upload of so many bytes and sends none of them.
fn stalled(address: SocketAddr, path: &str, bytes: usize) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!("PUT {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {bytes}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// The status of the answer.
fn status_of(stream: TcpStream) -> String {
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line.split_whitespace().nth(1).unwrap().to_owned()
}

#[test]
fn one_address_never_has_all_places_of_its_team() {
    let server = Setup::new().with_bucket(&ObjectStore::start()).start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    let address = || shop.upload_url(&payment, "a.pdf", PDF_TYPE);
    let (used, open) = (address(), address());
    assert_eq!(shop.upload(&used, PDF).status, 201);
    let stalled = |url: &str, bytes| stalled(shop.address(), &path_of(url), bytes);
    // Another length than that of the file that is there.
    let again: Vec<TcpStream> = (0..4).map(|_| stalled(&used, 1_000)).collect();
    for stream in again {
        assert_eq!(status_of(stream), "409");
    }
    let same: Vec<TcpStream> = (0..6).map(|_| stalled(&used, PDF.len())).collect();
    let fresh: Vec<TcpStream> = (0..6).map(|_| stalled(&open, 1_000)).collect();
    assert_eq!(shop.upload(&address(), PDF).status, 201);
    // What sends nothing is given up, long before two minutes are over.
    let statuses: BTreeSet<String> = same.into_iter().chain(fresh).map(status_of).collect();
    assert_eq!(statuses, ["408", "429"].map(str::to_owned).into());
}
