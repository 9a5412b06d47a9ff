//! The HTTP around a processor's machine: it brings requests in, sends webhooks out, and lets answers arrive as the machine says.

use std::{convert::Infallible, io, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited, StreamBody, combinators::UnsyncBoxBody};
use http_client::{Body, Client, Http, Private, Recipient, Request as Outgoing, Url};
use hyper::{
    Request as Incoming,
    body::{Frame, Incoming as IncomingBody},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use processors::{Answer, Conduct, Machine, Post, Reply, Request};
use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;
use world::World;

/// The largest body of a request. Unit: bytes.
const LARGEST: usize = 6 * 1024 * 1024;
/// How often it is looked for webhooks to be sent.
const PACE: Duration = Duration::from_millis(50);
/// How long a receiver of webhooks may take.
const RECEIVED_WITHIN: Duration = Duration::from_secs(20);
/// The first bytes of an answer that is cut are on their way after this time.
const WRITTEN_WITHIN: Duration = Duration::from_millis(50);

type Answered = Response<UnsyncBoxBody<Bytes, io::Error>>;

struct Shell {
    world: World,
    machine: Mutex<Box<dyn Machine>>,
    client: Client,
}

/// Serves `machine` until the process ends.
///
/// # Errors
/// The system's authorities can't be read, which HTTPS to receivers of webhooks needs.
pub async fn serve(
    world: World,
    machine: Box<dyn Machine>,
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
) -> io::Result<Infallible> {
    let client = Client::new(world.clone(), Private::Allowed, None).map_err(io::Error::other)?;
    let shell = Arc::new(Shell {
        world,
        machine: Mutex::new(machine),
        client,
    });
    shell.world.spawn(send_webhooks(Arc::clone(&shell)));
    let acceptor = tls.map(TlsAcceptor::from);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            shell.world.sleep(PACE).await;
            continue;
        };
        let (shell, acceptor) = (Arc::clone(&shell), acceptor.clone());
        let world = shell.world.clone();
        world.spawn(async move {
            match acceptor {
                None => connection(shell, stream).await,
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        connection(shell, stream).await;
                    }
                }
            }
        });
    }
}

async fn connection(
    shell: Arc<Shell>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) {
    let service = service_fn(move |request| {
        let shell = Arc::clone(&shell);
        async move { shell.answer(request).await }
    });
    // A connection that ends with an error is the client's, or one that was to be cut.
    let _cut = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

impl Shell {
    /// The time as the machine counts it.
    fn now(&self) -> Duration {
        Duration::from_micros(u64::try_from(self.world.now().micros()).unwrap_or(0))
    }

    /// The answer; an error closes the connection without one.
    async fn answer(&self, request: Incoming<IncomingBody>) -> io::Result<Answered> {
        let (head, body) = request.into_parts();
        let body = match Limited::new(body, LARGEST).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) => return Err(io::Error::other(error)),
        };
        let headers = head.headers.iter().filter_map(|(name, value)| {
            let value = value.to_str().ok()?;
            Some((name.as_str().to_owned(), value.to_owned()))
        });
        let request = Request {
            method: head.method.as_str().to_owned(),
            path: head.uri.path().to_owned(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            headers: headers.collect(),
            body: body.to_vec(),
        };
        let now = self.now();
        let Answer { reply, conduct } = self.machine.lock().answer(&request, now);
        match conduct {
            Conduct::Whole => Ok(whole(&reply)),
            Conduct::Lost => Err(io::Error::other("the answer is lost on purpose")),
            Conduct::After(pause) => {
                self.world.sleep(pause).await;
                Ok(whole(&reply))
            }
            Conduct::CutAt(bytes) => Ok(cut(&reply, bytes, self.world.clone())),
        }
    }

    async fn send(&self, post: Post) {
        let Ok(url) = Url::http_or_https(&post.url) else {
            return;
        };
        let headers: Vec<_> = post.headers.into_iter().collect();
        let request = Outgoing {
            method: http::Method::POST,
            url: &url,
            headers: &headers,
            body: Body::Json(post.body.into()),
            timeout: RECEIVED_WITHIN,
            most: 64 * 1024,
        };
        let status = self
            .client
            .send(Recipient::STRANGER, &request)
            .await
            .ok()
            .map(|reply| reply.status);
        let now = self.now();
        self.machine.lock().delivered(post.id, status, now);
    }
}

async fn send_webhooks(shell: Arc<Shell>) {
    loop {
        let now = shell.now();
        let posts = shell.machine.lock().due(now);
        for post in posts {
            let sender = Arc::clone(&shell);
            shell.world.spawn(async move { sender.send(post).await });
        }
        shell.world.sleep(PACE).await;
    }
}

fn headed(reply: &Reply, body: UnsyncBoxBody<Bytes, io::Error>) -> Answered {
    let mut response = Response::new(body);
    *response.status_mut() =
        StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in &reply.headers {
        if let (Ok(name), Ok(value)) = (
            header::HeaderName::try_from(name),
            HeaderValue::try_from(value),
        ) {
            response.headers_mut().insert(name, value);
        }
    }
    response
        .headers_mut()
        .insert(header::CONTENT_LENGTH, HeaderValue::from(reply.body.len()));
    response
}

fn whole(reply: &Reply) -> Answered {
    let body = Full::new(Bytes::copy_from_slice(&reply.body));
    headed(reply, body.map_err(|never| match never {}).boxed_unsync())
}

/// An answer that breaks off: it announces its whole length.
fn cut(reply: &Reply, bytes: usize, world: World) -> Answered {
    let first = Bytes::copy_from_slice(reply.body.get(..bytes).unwrap_or(&reply.body));
    let written = stream::once(async move { Ok(Frame::data(first)) });
    let broken = stream::once(async move {
        world.sleep(WRITTEN_WITHIN).await;
        Err(io::Error::other("the answer is cut on purpose"))
    });
    headed(reply, StreamBody::new(written.chain(broken)).boxed_unsync())
}
