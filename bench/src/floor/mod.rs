//! The floor: the least program that does the durable work of an authorisation.
//!
//! It has the service's HTTP server, GraphQL library, database, group commit and allocator, and nothing else: no
//! credentials, no vault, no flow, no rules. What it commits has the size of what the service commits, so that what lies
//! between the two is what the service does besides.

mod answer;
mod keep;

use std::{path::PathBuf, pin::pin, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    response::{IntoResponse, Response},
    routing::post,
};
use clap::Args;
use http::{HeaderMap, StatusCode, header};
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tower::Service;

use self::{
    answer::Documents,
    keep::{Commits, Keeper},
};

/// What is printed before the address, like the service's own line.
pub(crate) const LISTENING: &str = "floor listening on http://";

/// Where it works.
#[derive(Args)]
pub(crate) struct Options {
    /// Where its database files are made.
    #[arg(long)]
    data_dir: PathBuf,
    /// A PostgreSQL server instead of files.
    #[arg(long)]
    database_url: Option<String>,
    /// One transaction for each commit, on PostgreSQL.
    #[arg(long)]
    one_by_one: bool,
}

struct Floor {
    documents: Documents,
    keeper: Keeper,
}

/// Serves until the process is ended.
pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let commits = if options.one_by_one {
        Commits::OneByOne
    } else {
        Commits::InGroups
    };
    let keeper = match &options.database_url {
        Some(url) => Keeper::postgres(url, commits).await?,
        None => Keeper::sqlite(&options.data_dir)?,
    };
    let floor = Arc::new(Floor {
        documents: Documents::new()?,
        keeper,
    });
    let router = Router::new()
        .route("/api/graphql", post(endpoint))
        .with_state(floor);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{LISTENING}{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(connection(stream, router.clone()));
    }
}

/// Serves a connection as the service does.
async fn connection(stream: TcpStream, router: Router) {
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let request = request.map(Body::new);
        router.clone().call(request)
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(10));
    let _ = pin!(builder.serve_connection(TokioIo::new(stream), service)).await;
}

async fn endpoint(State(floor): State<Arc<Floor>>, headers: HeaderMap, body: Bytes) -> Response {
    let key = headers
        .get("x-idempotency-key")
        .and_then(|key| key.to_str().ok());
    match floor.documents.answer(&floor.keeper, key, &body).await {
        Ok(answer) => ([(header::CONTENT_TYPE, "application/json")], answer).into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    }
}
