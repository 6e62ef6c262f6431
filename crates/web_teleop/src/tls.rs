//! TLS, from the owner's files; and random numbers from where TLS has its own.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::{GetRandomFailed, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate with its key.
#[derive(Clone)]
pub struct Tls(Arc<ServerConfig>);

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// Reads a chain of certificates and the key of the first.
    ///
    /// # Errors
    /// The parameter whose file does not hold, and why.
    pub fn load(cert: &Path, key: &Path) -> Result<Self, (&'static str, String)> {
        let reported = |path: &Path, error: &dyn fmt::Display| format!("{}: {error}", path.display());
        let chain: Vec<_> = CertificateDer::pem_file_iter(cert)
            .and_then(Iterator::collect::<Result<_, _>>)
            .map_err(|error| ("tls_cert", reported(cert, &error)))?;
        if chain.is_empty() {
            return Err(("tls_cert", reported(cert, &"there is no certificate in it")));
        }
        let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| ("tls_key", reported(key, &error)))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
            .map_err(|error| ("tls_key", reported(key, &error)))?;
        Ok(Self(Arc::new(config)))
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0))
    }
}

/// Random bytes that nobody guesses.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], GetRandomFailed> {
    let mut bytes = [0; N];
    ring::default_provider().secure_random.fill(&mut bytes)?;
    Ok(bytes)
}
