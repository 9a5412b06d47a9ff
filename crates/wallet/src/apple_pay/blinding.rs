//! Numbers that hide from a stopwatch what the RSA key works on.
//!
//! RSA is computed on a blinded input, so that its time tells nothing about the ciphertext or the key (RUSTSEC-2023-0071).
//! That needs numbers that nobody else knows; they need not be new ones. They are derived from the private key and the
//! ciphertext, as RFC 6979 does for signatures, so that this crate stays without a source of randomness.

use aes::{
    Aes256,
    cipher::{KeyIvInit as _, StreamCipher as _},
};
use ctr::Ctr128BE;
use rand_core::{CryptoRng, Error, RngCore, impls};
use rsa::{RsaPrivateKey, traits::PrivateKeyParts as _};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// A stream of bytes that only the key's holder can compute.
pub(super) struct Blinding(Ctr128BE<Aes256>);

impl Blinding {
    pub(super) fn new(key: &RsaPrivateKey, ciphertext: &[u8]) -> Self {
        let exponent = Zeroizing::new(key.d().to_bytes_be());
        let mut hash = Sha256::new();
        hash.update(b"pointsman wallet blinding");
        hash.update(exponent.as_slice());
        hash.update(ciphertext);
        Self(Ctr128BE::new(&hash.finalize(), &[0; 16].into()))
    }
}

impl RngCore for Blinding {
    fn next_u32(&mut self) -> u32 {
        impls::next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        impls::next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, dest: &mut [u8]) {
        dest.fill(0);
        self.0.apply_keystream(dest);
    }

    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Error> {
        self.fill_bytes(dest);
        Ok(())
    }
}

impl CryptoRng for Blinding {}
