//! Why a token is refused, and why a key or certificate can't be used.

use thiserror::Error;

/// Why a token is refused, as a clause about it. It never holds anything of the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum WalletError {
    /// Another shape, or JSON that can't be read.
    #[error("must be the wallet's payment token, as a JSON object or its text")]
    NotAToken,
    /// Larger than any real token.
    #[error("must be no larger than a payment token is")]
    TooLarge,
    /// A field of the token that is missing, has the wrong type or encoding, or is too long.
    #[error("must have a well-formed field `{0}`")]
    Field(&'static str),
    /// A protocol version that is not known, or for which no key is configured.
    #[error("must be of a protocol version that is set up here")]
    Version,
    /// No current root key has signed the intermediate key.
    #[error("must carry a signing key that a current root key of the wallet has signed")]
    SigningKey,
    /// The intermediate key has expired.
    #[error("must carry a signing key that has not expired")]
    SigningKeyExpired,
    /// The signature does not match. A token for another gateway looks the same: the recipient is part of what is signed.
    #[error("must be signed by the wallet, unchanged and for this gateway")]
    Signature,
    /// The certificates don't lead to a configured root.
    #[error("must carry certificates that lead to a root certificate of the wallet")]
    Chain,
    /// A certificate of the chain is not valid at this time.
    #[error("must carry certificates that are valid now")]
    CertificateExpired,
    /// A certificate lacks the mark of certificates that sign payment tokens.
    #[error("must carry certificates that are marked for payment tokens")]
    CertificatePurpose,
    /// Signed too long ago, or in the future.
    #[error("must have been signed a moment ago")]
    SigningTime,
    /// No configured key is the one that it was encrypted for.
    #[error("must be encrypted for a key that is set up here")]
    Key,
    /// It can't be decrypted: encrypted for another merchant, or damaged before it was signed.
    #[error("must decrypt with the merchant's key and identifier")]
    Sealed,
    /// The wallet made it for a merchant that is not set up here.
    #[error("must be made for a merchant that is set up here")]
    Merchant,
    /// Its time is over.
    #[error("must not have expired")]
    Expired,
    /// Neither a card number nor a network token with its cryptogram.
    #[error("must hold a card number, or a network token with its cryptogram")]
    Method,
    /// Something inside the encrypted part.
    #[error("must hold a well-formed {0}")]
    Content(&'static str),
}

/// Why a configured key or certificate can't be used, as a clause about it. It never holds anything of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum KeyError {
    /// No such block in the text.
    #[error("must be PEM with a private key that is not encrypted (PKCS#8, SEC1 or PKCS#1)")]
    NoKey,
    /// No certificate in the text.
    #[error("must be PEM with a certificate")]
    NoCertificate,
    /// A block that is there, but can't be read.
    #[error("must be well-formed PEM")]
    Malformed,
    /// A curve or kind of key that the wallet does not use.
    #[error("must be a P-256 key")]
    NotP256,
    /// A kind or size of key that the wallet does not use.
    #[error("must be a P-256 key, or an RSA key of 2048 to 4096 bits")]
    Kind,
    /// The certificate has another public key.
    #[error("must belong to its certificate")]
    Mismatch,
    /// The certificate names another merchant.
    #[error("must be of the merchant identifier that is configured")]
    Merchant,
    /// The document of root keys has another form.
    #[error(
        "must be JSON of the form {{\"keys\": [{{keyValue, protocolVersion, keyExpiration}}]}}"
    )]
    RootKeys,
    /// Nothing in it can be used.
    #[error("must hold at least one key of a protocol version that is known")]
    Empty,
    /// The gateway's or merchant's identifier.
    #[error("must be a text of 1 to 255 characters")]
    Identifier,
}
