//! `pointsman-lab processor`

use std::{path::Path, process::ExitCode, sync::Arc};

use anyhow::Context;
use lab::shell;
use processors::{Machine, adyen::Adyen, stripe::Stripe};
use rustls::ServerConfig;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use tokio::net::TcpListener;
use world::World;

use super::{Name, Processor};

pub(super) fn processor(flags: Processor) -> anyhow::Result<ExitCode> {
    let tls = match (&flags.tls_certificate, &flags.tls_key) {
        (Some(certificate), Some(key)) => Some(tls(certificate, key)?),
        _ => None,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async move {
        let listener = TcpListener::bind(flags.listen)
            .await
            .with_context(|| format!("nothing can listen at {}", flags.listen))?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = format!("{scheme}://{}", listener.local_addr()?);
        let public = flags.public.unwrap_or_else(|| address.clone());
        let machine: Box<dyn Machine> = match flags.name {
            Name::Adyen => {
                let mut adyen = Adyen::new(flags.seed, &public);
                for fault in flags.fault {
                    adyen.arm(fault);
                }
                Box::new(adyen)
            }
            Name::Stripe => {
                let mut stripe = Stripe::new(flags.seed, &public);
                for fault in flags.fault {
                    stripe.arm(fault);
                }
                Box::new(stripe)
            }
        };
        output::line(&format!("listening at {address}"));
        shell::serve(World::real(), machine, listener, tls).await?;
        Ok(ExitCode::SUCCESS)
    })
}

fn tls(certificate: &Path, key: &Path) -> anyhow::Result<Arc<ServerConfig>> {
    let read = |path: &Path| format!("{} can't be read as PEM", path.display());
    let chain = CertificateDer::pem_file_iter(certificate)
        .with_context(|| read(certificate))?
        .collect::<Result<Vec<_>, _>>()
        .with_context(|| read(certificate))?;
    let key = PrivateKeyDer::from_pem_file(key).with_context(|| read(key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(Arc::new(config))
}
