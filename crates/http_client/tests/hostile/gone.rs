//! Connections that are refused, silent or cut: whether a byte of the request may have been written.

use std::{
    collections::BTreeMap,
    io::Write as _,
    net::TcpListener,
    sync::mpsc::{Sender, channel},
    time::Duration,
};

use http_client::{HttpError, Private, Reason, Sent, Url};
use tokio::net::TcpSocket;
use world::World;

use crate::server::{
    FINE, PATIENCE, accept, answer, get, hosts, play, play_with, post, read, serve, url,
};

fn failed(url: &Url, timeout: Duration) -> HttpError {
    play(Private::Allowed, async |client| {
        post(client, url, timeout).await
    })
    .unwrap_err()
}

#[test]
fn a_refused_connection_has_sent_nothing() {
    let (url, _held) = play(Private::Allowed, async |_| {
        // Bound, so that nobody else has the port, but not listening.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        (url("http", socket.local_addr().unwrap().port()), socket)
    });
    let error = failed(&url, PATIENCE);
    assert_eq!(error.sent, Sent::No);
    assert!(matches!(error.reason, Reason::Refused(_)), "{error}");
}

#[test]
fn a_handshake_that_fails_or_never_ends_has_sent_nothing() {
    let (plain, server) = serve(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        // No TLS server speaks first, or so.
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .unwrap();
    });
    let error = failed(&url("https", plain.port()), PATIENCE);
    assert_eq!(error.sent, Sent::No);
    assert!(matches!(error.reason, Reason::NoTls(_)), "{error}");
    server.join().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let error = failed(&url("https", port), Duration::from_millis(300));
    assert_eq!(error, HttpError::not_sent(Reason::Elapsed));
}

#[test]
fn a_server_that_never_accepts_may_have_the_request() {
    // The machine takes the connection for it, and the bytes.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url("http", listener.local_addr().unwrap().port());
    let error = failed(&url, Duration::from_millis(300));
    assert_eq!(error, HttpError::maybe_sent(Reason::Elapsed));
}

#[test]
fn a_connection_that_is_cut_after_the_request_may_have_sent_it() {
    let cuts: [&[u8]; 4] = [
        b"",
        b"HTTP/1.1 20",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{",
    ];
    for cut in cuts {
        let (url, server) = serve(move |listener| {
            let (mut stream, request) = accept(listener);
            stream.write_all(cut).unwrap();
            request.is_some()
        });
        let error = failed(&url, PATIENCE);
        assert_eq!(error.sent, Sent::Maybe, "{cut:?}");
        assert!(matches!(error.reason, Reason::Broken(_)), "{error}");
        assert!(server.join().unwrap());
    }
}

#[test]
fn a_kept_connection_that_the_server_has_closed_is_not_used() {
    let (closed, is_closed) = channel();
    let (url, server) = serve(move |listener| {
        let (mut stream, _) = accept(listener);
        stream.write_all(FINE).unwrap();
        drop(stream);
        closed.send(()).unwrap();
        let (mut stream, request) = accept(listener);
        stream.write_all(FINE).unwrap();
        request.is_some()
    });
    play(Private::Allowed, async |client| {
        post(client, &url, PATIENCE).await.unwrap();
        is_closed.recv().unwrap();
        // On one thread a wait of any length handles the end that has arrived.
        World::real().sleep(Duration::from_millis(5)).await;
        post(client, &url, PATIENCE).await.unwrap();
    });
    assert!(server.join().unwrap());
}

#[test]
fn a_request_to_a_subscriber_waits_for_one_of_the_connections_that_there_may_be() {
    let (ask, asked) = channel();
    let (go_on, may_go_on) = channel::<()>();
    let (slow, slow_server) = serve(move |listener| {
        let (mut stream, request) = accept(listener);
        ask.send(()).unwrap();
        may_go_on.recv().unwrap();
        stream.write_all(FINE).unwrap();
        request.is_some()
    });
    let (quick, quick_server) = serve(|listener| answer(listener, FINE));
    play_with(1, async |client| {
        let subscriber = http_client::Recipient::Subscriber;
        let held = get(&slow, PATIENCE);
        let mut held = http_client::Http::send(client, subscriber, &held);
        // Its connection is made, and its server has the request.
        while asked.try_recv().is_err() {
            let step = Duration::from_millis(5);
            let ended = World::real().timeout(step, &mut held).await;
            assert!(ended.is_err(), "{ended:?}");
        }
        let short = get(&quick, Duration::from_millis(300));
        let waits = http_client::Http::send(client, subscriber, &short).await;
        assert_eq!(
            waits.unwrap_err(),
            HttpError::not_sent(Reason::Elapsed),
            "there was no place for it"
        );
        go_on.send(()).unwrap();
        assert_eq!(held.await.unwrap().status, 200);
        // The server has closed that connection: its place is free.
        let long = get(&quick, PATIENCE);
        let served = http_client::Http::send(client, subscriber, &long).await;
        assert_eq!(served.unwrap().status, 200);
    });
    assert!(slow_server.join().unwrap());
    quick_server.join().unwrap();
}

/// Answers each connection's first request, closes it at once, and notes every request that it has read.
fn hasty(listener: &TcpListener, seen: &Sender<String>) {
    loop {
        let (mut stream, request) = accept(listener);
        let Some(request) = request else { continue };
        let path = request.split(' ').nth(1).unwrap().to_owned();
        let last = path == "/last";
        seen.send(path).unwrap();
        stream.write_all(FINE).unwrap();
        if last {
            return;
        }
        // Half of them are closed with a request that may be on its way unread.
        stream.set_nonblocking(true).unwrap();
        if let Some(request) = read(&mut stream) {
            seen.send(request.split(' ').nth(1).unwrap().to_owned())
                .unwrap();
        }
    }
}

#[test]
fn a_request_that_met_a_closing_connection_is_never_called_unsent_wrongly_nor_sent_twice() {
    let (note, noted) = channel();
    let (base, server) = serve(move |listener| hasty(listener, &note));
    let hosts = hosts(&base);
    let mut ended = BTreeMap::new();
    play(Private::Allowed, async |client| {
        for n in 0..300 {
            let path = format!("/{n}");
            let url = base.at(&path).unwrap();
            let request = get(&url, PATIENCE);
            let handle = http_client::ProcessorHttp::new(client, &hosts);
            ended.insert(path, handle.send(&request).await);
        }
        let last = base.at("/last").unwrap();
        let stranger = http_client::Recipient::STRANGER;
        let request = get(&last, PATIENCE);
        http_client::Http::send(client, stranger, &request)
            .await
            .unwrap();
    });
    server.join().unwrap();
    let seen: Vec<String> = noted.iter().collect();
    for (path, result) in ended {
        let times = seen.iter().filter(|seen| **seen == path).count();
        match result {
            Ok(_) => assert_eq!(times, 1, "{path}"),
            Err(error) if error.sent == Sent::No => assert_eq!(times, 0, "{path}: {error}"),
            Err(error) => assert!(times <= 1, "{path}: {error}"),
        }
    }
}
