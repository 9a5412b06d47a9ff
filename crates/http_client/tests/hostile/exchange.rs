//! What is written, what is read, and who may be called.

use std::{net::TcpListener, time::Duration};

use http_client::{
    Body, HostPattern, Http as _, HttpError, Method, Private, ProcessorHttp, REQUEST_MAX, Reason,
    Recipient, Request, Sent, Url,
};

use crate::server::{FINE, PATIENCE, accept, answer, get, hosts, play, post, read, serve, url};

#[test]
fn methods_bodies_and_headers_arrive_as_they_were_given() {
    let headers = [
        ("authorization", "Bearer abc".to_owned()),
        ("accept", "text/plain".to_owned()),
    ];
    let form = || Body::form([("card[number]", "a b")]);
    let json = || Body::Json("{}".into());
    for (method, body, expected) in [
        (Method::GET, Body::Empty, ""),
        (Method::POST, form(), "card%5Bnumber%5D=a%20b"),
        (Method::PUT, json(), "{}"),
        (Method::PATCH, json(), "{}"),
        (Method::DELETE, Body::Empty, ""),
    ] {
        let (url, server) = serve(|listener| answer(listener, FINE));
        let (is_form, line) = (
            matches!(body, Body::Form(_)),
            format!("{method} /v1/payments?expand=all HTTP/1.1\r\n"),
        );
        let request = Request {
            method,
            headers: &headers,
            body,
            ..get(&url, PATIENCE)
        };
        let hosts = hosts(&url);
        let reply = play(Private::Refused, async |client| {
            ProcessorHttp::new(client, &hosts)
                .send(&request)
                .await
                .unwrap()
        });
        assert_eq!((reply.status, &reply.body[..]), (200, &b"{}"[..]));
        assert_eq!(reply.header("content-length"), Some("2"));
        let sent = server.join().unwrap();
        assert!(sent.starts_with(&line), "{sent}");
        assert!(sent.ends_with(&format!("\r\n\r\n{expected}")), "{sent}");
        assert!(sent.contains("authorization: Bearer abc\r\n"), "{sent}");
        assert_eq!(sent.matches("accept: ").count(), 1, "{sent}");
        assert_eq!(sent.contains("x-www-form-urlencoded"), is_form, "{sent}");
        assert!(!sent.contains("connection: close"), "{sent}");
    }
}

#[test]
fn connections_to_a_processor_are_kept_and_those_to_a_stranger_are_not() {
    let (url, server) = serve(|listener| {
        let (mut stream, first) = accept(listener);
        std::io::Write::write_all(&mut stream, FINE).unwrap();
        let second = read(&mut stream);
        std::io::Write::write_all(&mut stream, FINE).unwrap();
        let stranger = [answer(listener, FINE), answer(listener, FINE)];
        (first.is_some() && second.is_some(), stranger)
    });
    play(Private::Allowed, async |client| {
        post(client, &url, PATIENCE).await.unwrap();
        post(client, &url, PATIENCE).await.unwrap();
        for _ in 0..2 {
            let request = get(&url, PATIENCE);
            client.send(Recipient::STRANGER, &request).await.unwrap();
        }
    });
    let (kept, stranger) = server.join().unwrap();
    assert!(kept);
    assert!(
        stranger
            .iter()
            .all(|text| text.contains("connection: close\r\n"))
    );
}

#[test]
fn a_redirect_is_an_answer_and_is_not_followed() {
    let (url, server) = serve(|listener| {
        let moved =
            b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
        answer(listener, moved);
    });
    let reply = play(Private::Allowed, async |client| {
        post(client, &url, PATIENCE).await
    })
    .unwrap();
    assert_eq!(reply.status, 302);
    assert_eq!(reply.header("location"), Some("http://127.0.0.1:1/"));
    server.join().unwrap();
}

#[test]
fn strangers_and_subscribers_at_a_private_address_are_refused_also_behind_a_name() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
        let url = Url::http_or_https(&format!("http://{host}:{port}/")).unwrap();
        let request = get(&url, PATIENCE);
        for recipient in [Recipient::STRANGER, Recipient::Subscriber] {
            let refused = play(Private::Refused, async |client| {
                client.send(recipient, &request).await
            });
            assert_eq!(refused, Err(HttpError::not_sent(Reason::Private)), "{host}");
        }
    }
    listener.set_nonblocking(true).unwrap();
    let refused = listener.accept().unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn only_the_hosts_that_are_named_are_called() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url("http", listener.local_addr().unwrap().port());
    let other = [HostPattern::parse("api.example").unwrap()];
    for hosts in [&other[..], &[]] {
        let refused = play(Private::Allowed, async |client| {
            ProcessorHttp::new(client, hosts)
                .send(&get(&url, PATIENCE))
                .await
        });
        assert_eq!(refused, Err(HttpError::not_sent(Reason::HostNotAllowed)));
    }
}

#[test]
fn what_can_not_be_written_is_refused_before_anything_is_sent() {
    let (url, hosts) = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = url("http", listener.local_addr().unwrap().port());
        (url.clone(), hosts(&url))
    };
    let sent = |request: Request<'_>| {
        play(Private::Allowed, async |client| {
            ProcessorHttp::new(client, &hosts)
                .send(&request)
                .await
                .unwrap_err()
        })
    };
    let large = Body::Json(vec![b'x'; REQUEST_MAX + 1].into());
    let large = sent(Request {
        method: Method::POST,
        body: large,
        ..get(&url, PATIENCE)
    });
    assert_eq!(large, HttpError::not_sent(Reason::RequestTooLarge));
    let split = [("x-note", "a\r\nx-forged: b".to_owned())];
    let split = sent(Request {
        headers: &split,
        ..get(&url, PATIENCE)
    });
    let traced = sent(Request {
        method: Method::TRACE,
        ..get(&url, PATIENCE)
    });
    for error in [split, traced] {
        assert_eq!(error.sent, Sent::No);
        assert!(matches!(error.reason, Reason::Unwritable(_)), "{error}");
    }
}

#[test]
fn an_answer_that_is_too_large_is_refused_however_it_is_sized() {
    let chunk = format!(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7d0\r\n{}\r\n0\r\n\r\n",
        "x".repeat(2_000)
    );
    let whole = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n{}",
        "x".repeat(2_000)
    );
    for answered in [chunk, whole] {
        let (url, server) = serve(move |listener| answer(listener, answered.as_bytes()));
        let error = play(Private::Allowed, async |client| {
            post(client, &url, PATIENCE).await
        })
        .unwrap_err();
        assert_eq!(error, HttpError::maybe_sent(Reason::ReplyTooLarge));
        server.join().unwrap();
    }
}

#[test]
fn what_is_no_http_is_a_broken_exchange() {
    let (url, server) = serve(|listener| answer(listener, b"220 mail.example ESMTP\r\n"));
    let error = play(Private::Allowed, async |client| {
        post(client, &url, PATIENCE).await
    })
    .unwrap_err();
    assert_eq!(error.sent, Sent::Maybe);
    assert!(matches!(error.reason, Reason::Broken(_)), "{error}");
    server.join().unwrap();
}

#[test]
fn an_answer_that_drips_ends_with_the_time() {
    let (url, server) = serve(|listener| {
        let (mut stream, _) = accept(listener);
        let head = b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n";
        std::io::Write::write_all(&mut stream, head).unwrap();
        while std::io::Write::write_all(&mut stream, b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let short = Duration::from_secs(2);
    let error = play(Private::Allowed, async |client| {
        post(client, &url, short).await
    })
    .unwrap_err();
    assert_eq!(error, HttpError::maybe_sent(Reason::Elapsed));
    server.join().unwrap();
}
