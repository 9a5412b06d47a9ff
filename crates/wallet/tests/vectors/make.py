#!/usr/bin/env python3
"""Makes vectors.json: tokens of both wallets, good and bad, with the keys that open them.

Written apart from the crate, against the wallets' published formats, with Python's `cryptography`; the CMS signatures
are put together byte by byte here and `openssl cms -verify` must accept them. The keys are made anew at every run, the
times are fixed. Run it in this folder: `python3 make.py`. Needs Python 3.10, cryptography 42, openssl 3.
"""

import base64
import datetime as dt
import hashlib
import hmac
import json
import os
import struct
import subprocess
import tempfile

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import NameOID, ObjectIdentifier

UTC = dt.timezone.utc
NOW = dt.datetime(2026, 6, 1, 12, 0, 0, tzinfo=UTC)
FROM = dt.datetime(2020, 1, 1, tzinfo=UTC)
TO = dt.datetime(2045, 1, 1, tzinfo=UTC)
SECOND = dt.timedelta(seconds=1)


def b64(data):
    return base64.b64encode(data).decode()


def millis(time):
    return str(int(time.timestamp() * 1000))


def spki(public):
    return public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def point(public):
    return public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def pem(key, traditional=False):
    form = serialization.PrivateFormat.TraditionalOpenSSL if traditional else serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def p256():
    return ec.generate_private_key(ec.SECP256R1())


# Wallet A ---------------------------------------------------------------------------------------------------------

RECIPIENT = "gateway:pointsman"
PLAN = {
    "gatewayMerchantId": "shop-1",
    "messageExpiration": millis(NOW + dt.timedelta(days=5)),
    "messageId": "AH2Ejtc-message",
    "paymentMethod": "CARD",
}
CRYPTOGRAM = {
    "authMethod": "CRYPTOGRAM_3DS", "pan": "4895370012003478", "expirationMonth": 12, "expirationYear": 2031,
    "cryptogram": "AgAAAAAABk4DWZ4C28yUQAAAAAA=", "eciIndicator": "7",
}
PAN_ONLY = {"authMethod": "PAN_ONLY", "pan": "4111111111111111", "expirationMonth": 10, "expirationYear": 2030}


def google_sign(key, *parts):
    signed = b"".join(struct.pack("<I", len(part.encode())) + part.encode() for part in parts)
    return b64(key.sign(signed, ec.ECDSA(hashes.SHA256())))


def google_seal(version, recipient, message, break_tag=False):
    size = {"ECv1": 16, "ECv2": 32}[version]
    ephemeral = p256()
    public = point(ephemeral.public_key())
    shared = ephemeral.exchange(ec.ECDH(), recipient)
    derived = HKDF(hashes.SHA256(), 2 * size, bytes(32), b"Google").derive(public + shared)
    encryptor = Cipher(algorithms.AES(derived[:size]), modes.CTR(bytes(16))).encryptor()
    sealed = encryptor.update(json.dumps(message).encode()) + encryptor.finalize()
    tag = hmac.new(derived[size:], sealed, hashlib.sha256).digest()
    if break_tag:
        tag = bytes([tag[0] ^ 1]) + tag[1:]
    return json.dumps({"encryptedMessage": b64(sealed), "ephemeralPublicKey": b64(public), "tag": b64(tag)})


def google():
    root1, root2, expired_root, stranger, other = p256(), p256(), p256(), p256(), p256()
    intermediate, second_intermediate = p256(), p256()
    first, second, unknown = p256(), p256(), p256()
    later = NOW + dt.timedelta(days=30)

    def key_of(signer, key=intermediate, expires=NOW + dt.timedelta(days=7)):
        signed = json.dumps({"keyValue": b64(spki(key.public_key())), "keyExpiration": millis(expires)})
        return {"signedKey": signed, "signatures": [google_sign(signer, "Google", "ECv2", signed)]}

    def v2(details=CRYPTOGRAM, to=first, signer=intermediate, key=None, recipient=RECIPIENT, signed_as="ECv2",
           break_tag=False, **changes):
        message = {**PLAN, "paymentMethodDetails": details, **changes}
        message = {name: value for name, value in message.items() if value is not None}
        sealed = google_seal("ECv2", to.public_key(), message, break_tag)
        return {
            "signature": google_sign(signer, "Google", recipient, signed_as, sealed),
            "intermediateSigningKey": key or key_of(root2), "protocolVersion": "ECv2", "signedMessage": sealed,
        }

    def v1(details, method="CARD", signer=root1, recipient=RECIPIENT):
        sealed = google_seal("ECv1", first.public_key(), {**PLAN, "paymentMethod": method, "paymentMethodDetails": details})
        return {"signature": google_sign(signer, "Google", recipient, "ECv1", sealed),
                "protocolVersion": "ECv1", "signedMessage": sealed}

    def root(key, version, expires=None):
        entry = {"keyValue": b64(spki(key.public_key())), "protocolVersion": version}
        return {**entry, "keyExpiration": millis(expires)} if expires else entry

    no_cryptogram = {name: value for name, value in CRYPTOGRAM.items() if name != "cryptogram"}
    tokenized = {"authMethod": "3DS", "dpan": CRYPTOGRAM["pan"], "expirationMonth": 12, "expirationYear": 2031,
                 "3dsCryptogram": CRYPTOGRAM["cryptogram"], "3dsEciIndicator": "05"}
    two_signatures = key_of(root2)
    two_signatures["signatures"].insert(0, google_sign(stranger, "Google", "ECv2", two_signatures["signedKey"]))
    return {
        "gatewayId": "pointsman",
        "keys": {"first": pem(first), "second": pem(second, traditional=True), "p384": pem(ec.generate_private_key(ec.SECP384R1()))},
        "roots": {
            "all": {"keys": [root(root1, "ECv1"), root(expired_root, "ECv2", NOW - SECOND), root(root2, "ECv2", later),
                             root(other, "ECv2SigningOnly", later)]},
            "others": {"keys": [root(other, "ECv1"), root(other, "ECv2", later)]},
            "onlyV1": {"keys": [root(root1, "ECv1")]},
            "onlyV2": {"keys": [root(root2, "ECv2", later)]},
            "withoutExpiration": {"keys": [root(root2, "ECv2")]},
        },
        "good": {
            "cryptogram": v2(),
            "panOnly": v2(PAN_ONLY, to=second),
            "noMerchant": v2(gatewayMerchantId=None),
            "twoSignatures": v2(key=two_signatures),
            "v1Pan": v1(PAN_ONLY),
            "v1Tokenized": v1(tokenized, method="TOKENIZED_CARD"),
        },
        "bad": {
            "forAnotherGateway": [v2(recipient="gateway:another"), "Signature"],
            "v1ForAnotherGateway": [v1(PAN_ONLY, recipient="gateway:another"), "Signature"],
            "forAMerchant": [v2(recipient="merchant:pointsman"), "Signature"],
            "signedAsAnotherVersion": [v2(signed_as="ECv1"), "Signature"],
            "signedByAnotherIntermediate": [v2(signer=second_intermediate), "Signature"],
            "signedByRootItself": [v2(signer=root2), "Signature"],
            "v1SignedByRootOfV2": [v1(PAN_ONLY, signer=root2), "Signature"],
            "intermediateSignedByStranger": [v2(key=key_of(stranger)), "SigningKey"],
            "intermediateSignedByRootOfV1": [v2(key=key_of(root1)), "SigningKey"],
            "intermediateSignedByRootOfSigningOnly": [v2(key=key_of(other)), "SigningKey"],
            "intermediateSignedByExpiredRoot": [v2(key=key_of(expired_root)), "SigningKey"],
            "intermediateExpired": [v2(key=key_of(root2, expires=NOW)), "SigningKeyExpired"],
            "messageExpired": [v2(messageExpiration=millis(NOW)), "Expired"],
            "messageWithoutExpiration": [v2(messageExpiration=None), "Content(\"message\")"],
            "forAnUnknownKey": [v2(to=unknown), "Key"],
            "brokenTag": [v2(break_tag=True), "Key"],
            "otherMerchant": [v2(gatewayMerchantId="shop-9"), "Merchant"],
            "withoutCryptogram": [v2(no_cryptogram), "Method"],
            "otherMethod": [v2(paymentMethod="BANK"), "Method"],
            "otherAuthMethod": [v2({**PAN_ONLY, "authMethod": "MAGIC"}), "Method"],
            "noCardNumber": [v2({**PAN_ONLY, "pan": "4111111111111112"}), "Content(\"card number\")"],
            "noMonth": [v2({**PAN_ONLY, "expirationMonth": 13}), "Content(\"expiry\")"],
        },
    }


# Wallet B ---------------------------------------------------------------------------------------------------------

MERCHANT = "merchant.example"
LEAF_MARK = "1.2.840.113635.100.6.29"
INTERMEDIATE_MARK = "1.2.840.113635.100.6.2.14"
MERCHANT_MARK = "1.2.840.113635.100.6.32"
PAYMENT = {
    "applicationPrimaryAccountNumber": "4817499130400012", "applicationExpirationDate": "331130", "currencyCode": "978",
    "transactionAmount": 5099, "deviceManufacturerIdentifier": "040010030273", "paymentDataType": "3DSecure",
    "paymentData": {"onlinePaymentCryptogram": "Af9x/QwAA/DjmU65oyc1MAABAAA=", "eciIndicator": "5"},
}
TRANSACTION = hashlib.sha256(b"a transaction").hexdigest()


def der(tag, content):
    length = len(content)
    if length < 128:
        return bytes([tag, length]) + content
    size = (length.bit_length() + 7) // 8
    return bytes([tag, 0x80 | size]) + length.to_bytes(size, "big") + content


def indefinite(tag, content):
    return bytes([tag, 0x80]) + content + b"\0\0"


def oid(text):
    first, second, *rest = map(int, text.split("."))
    out = bytes([first * 40 + second])
    for arc in rest:
        digits = [arc & 0x7F]
        while arc := arc >> 7:
            digits.append(0x80 | (arc & 0x7F))
        out += bytes(reversed(digits))
    return der(6, out)


SHA256 = der(0x30, oid("2.16.840.1.101.3.4.2.1") + der(5, b""))
DATA = oid("1.2.840.113549.1.7.1")


def attribute(kind, value):
    return der(0x30, oid(kind) + der(0x31, value))


def cms(leaf, leaf_key, carried, content, signed_at=NOW, ber=True, time=True, kind=DATA):
    """A detached SignedData as Apple writes it: containers of indefinite length."""
    container = indefinite if ber else der
    attributes = [
        attribute("1.2.840.113549.1.9.3", kind),
        attribute("1.2.840.113549.1.9.4", der(4, hashlib.sha256(content).digest())),
    ]
    if time:
        attributes.append(attribute("1.2.840.113549.1.9.5", der(0x17, signed_at.strftime("%y%m%d%H%M%SZ").encode())))
    attributes = b"".join(sorted(attributes))
    signed = der(0x31, attributes)
    if isinstance(leaf_key, rsa.RSAPrivateKey):
        signature = leaf_key.sign(signed, padding.PKCS1v15(), hashes.SHA256())
        algorithm = der(0x30, oid("1.2.840.113549.1.1.11") + der(5, b""))
    else:
        signature = leaf_key.sign(signed, ec.ECDSA(hashes.SHA256()))
        algorithm = der(0x30, oid("1.2.840.10045.4.3.2"))
    serial = leaf.serial_number.to_bytes(leaf.serial_number.bit_length() // 8 + 1, "big")
    signer = der(0x30, der(2, b"\x01") + der(0x30, leaf.issuer.public_bytes() + der(2, serial)) + SHA256
                 + der(0xA0, attributes) + algorithm + der(4, signature))
    certificates = b"".join(one.public_bytes(serialization.Encoding.DER) for one in carried)
    body = container(0x30, der(2, b"\x01") + der(0x31, SHA256) + container(0x30, DATA) + container(0xA0, certificates)
                     + der(0x31, signer))
    return container(0x30, oid("1.2.840.113549.1.7.2") + container(0xA0, body))


def certificate(name, key, issuer=None, issuer_key=None, authority=False, marks=(), validity=(FROM, TO), digest=None,
                sign=True, critical=None):
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name), x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Test")])
    usage = dict.fromkeys(("content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
                           "crl_sign", "encipher_only", "decipher_only"), False)
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer.subject if issuer else subject)
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(validity[0]).not_valid_after(validity[1])
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(digital_signature=sign and not authority, key_cert_sign=authority, **usage), critical=True)
    )
    for mark, value in marks:
        builder = builder.add_extension(x509.UnrecognizedExtension(ObjectIdentifier(mark), value), critical=mark == critical)
    return builder.sign(issuer_key or key, digest or hashes.SHA256())


def apple():
    null = der(5, b"")
    root_key, other_root_key = (ec.generate_private_key(ec.SECP384R1()) for _ in range(2))
    authority_key, leaf_key, rsa_leaf_key = p256(), p256(), rsa.generate_private_key(65537, 2048)
    root = certificate("Root G3", root_key, authority=True, digest=hashes.SHA384())
    # The same name with another key.
    other_root = certificate("Root G3", other_root_key, authority=True, digest=hashes.SHA384())

    def authority(by=(root, root_key), marks=((INTERMEDIATE_MARK, null),), **more):
        return certificate("Integration CA", authority_key, *by, authority=more.pop("ca", True), marks=marks, **more)

    def leaf(by=None, key=leaf_key, marks=((LEAF_MARK, null),), **more):
        return certificate("token signer", key, *(by or (middle, authority_key)), marks=marks, **more)

    middle = authority()
    signer, rsa_signer = leaf(), leaf(key=rsa_leaf_key)

    processing, second_processing, rsa_processing = p256(), p256(), rsa.generate_private_key(65537, 2048)
    named = der(12, hashlib.sha256(MERCHANT.encode()).hexdigest().upper().encode())
    misnamed = der(12, hashlib.sha256(b"merchant.another").hexdigest().upper().encode())
    certificates = {
        "first": certificate("processing", processing, marks=((MERCHANT_MARK, named),)),
        "second": certificate("processing 2", second_processing),
        "rsa": certificate("processing rsa", rsa_processing, marks=((MERCHANT_MARK, named),)),
        "otherMerchant": certificate("processing", processing, marks=((MERCHANT_MARK, misnamed),)),
    }

    def token(payment=PAYMENT, to=processing, says=None, merchant=MERCHANT, application=None, chain=None, key=None,
              content=None, version="EC_v1", **more):
        plain = json.dumps(payment).encode()
        says = hashlib.sha256(spki((says or to).public_key())).digest()
        if version == "EC_v1":
            ephemeral = p256()
            shared = ephemeral.exchange(ec.ECDH(), to.public_key())
            info = b"\x0did-aes256-GCM" + b"Apple" + hashlib.sha256(merchant.encode()).digest()
            secret = ConcatKDFHash(hashes.SHA256(), 32, info).derive(shared)
            field, value = "ephemeralPublicKey", spki(ephemeral.public_key())
        else:
            secret = os.urandom(16)
            oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
            field, value = "wrappedKey", to.public_key().encrypt(secret, oaep)
        encryptor = Cipher(algorithms.AES(secret), modes.GCM(bytes(16))).encryptor()
        sealed = encryptor.update(plain) + encryptor.finalize() + encryptor.tag
        signed = value + sealed + bytes.fromhex(TRANSACTION) + bytes.fromhex(application or "")
        carried = chain or ([signer, middle] if version == "EC_v1" else [rsa_signer, middle])
        right = chain is None and key is None and content is None and not more.keys() & {"time", "kind"}
        key = key or (leaf_key if version == "EC_v1" else rsa_leaf_key)
        signature = cms(carried[0], key, carried, signed if content is None else content, **more)
        header = {field: b64(value), "publicKeyHash": b64(says), "transactionId": TRANSACTION}
        if application:
            header["applicationData"] = application
        if right:
            check_with_openssl(signature, signed, root)
        return {"version": version, "data": b64(sealed), "signature": b64(signature), "header": header}

    unmarked_leaf, unmarked_middle = leaf(marks=()), authority(marks=())
    swapped_middle = authority(marks=((LEAF_MARK, null),))
    swapped_leaf = leaf(by=(swapped_middle, authority_key), marks=((INTERMEDIATE_MARK, null),))
    marked_authority = certificate("Integration CA", authority_key, root, root_key, authority=True,
                                   marks=((INTERMEDIATE_MARK, null), (LEAF_MARK, null)))
    no_authority = authority(ca=False)
    foreign = authority(by=(other_root, other_root_key))
    old_leaf, old_middle = leaf(validity=(FROM, NOW - SECOND)), authority(validity=(FROM, NOW - SECOND))
    early_leaf = leaf(validity=(NOW + SECOND, TO))
    root_leaf = leaf(by=(root, root_key))
    no_signer = leaf(sign=False)
    critical = leaf(marks=((LEAF_MARK, null), ("1.2.3.4.5", null)), critical="1.2.3.4.5")
    emv = {**PAYMENT, "paymentDataType": "EMV", "paymentData": {"emvData": "AA==", "encryptedPINData": "AA=="}}
    minute = dt.timedelta(minutes=1)
    return {
        "merchantIdentifier": MERCHANT,
        "transactionId": TRANSACTION,
        "certificates": {name: one.public_bytes(serialization.Encoding.PEM).decode() for name, one in certificates.items()},
        "keys": {"first": pem(processing), "second": pem(second_processing, True), "rsa": pem(rsa_processing),
                 "rsaPkcs1": pem(rsa_processing, True), "rsaSmall": pem(rsa.generate_private_key(65537, 1024))},
        "roots": {"right": root.public_bytes(serialization.Encoding.PEM).decode(),
                  "other": other_root.public_bytes(serialization.Encoding.PEM).decode()},
        "good": {
            "elliptic": token(),
            "elliptic2": token(to=second_processing),
            "applicationData": token(application=hashlib.sha256(b"order 7").hexdigest()),
            "rsa": token(to=rsa_processing, version="RSA_v1"),
            "derSignature": token(ber=False),
            "otherOrder": token(chain=[signer, root, middle]),
            "noEci": token({**PAYMENT, "paymentData": {"onlinePaymentCryptogram": "AAAA"}}),
            "fiveMinutesAgo": token(signed_at=NOW - 5 * minute),
        },
        "bad": {
            "otherContent": [token(content=b"something else"), "Signature"],
            "otherContentType": [token(kind=oid("1.2.840.113549.1.7.3")), "Signature"],
            "otherKey": [token(key=authority_key), "Signature"],
            "chainReordered": [token(chain=[middle, signer], key=authority_key), "Chain"],
            "signedByAuthority": [token(chain=[marked_authority, middle], key=authority_key), "Chain"],
            "leafAlone": [token(chain=[signer]), "Chain"],
            "rootInPlaceOfAuthority": [token(chain=[root_leaf, root]), "CertificatePurpose"],
            "foreignRoot": [token(chain=[signer, foreign]), "Chain"],
            "foreignRootCarried": [token(chain=[signer, foreign, other_root]), "Chain"],
            "authorityMayNotIssue": [token(chain=[leaf(by=(no_authority, authority_key)), no_authority]), "Chain"],
            "unmarkedLeaf": [token(chain=[unmarked_leaf, middle]), "CertificatePurpose"],
            "unmarkedAuthority": [token(chain=[signer, unmarked_middle]), "CertificatePurpose"],
            "marksSwapped": [token(chain=[swapped_leaf, swapped_middle]), "CertificatePurpose"],
            "leafMayNotSign": [token(chain=[no_signer, middle]), "CertificatePurpose"],
            "unknownCriticalExtension": [token(chain=[critical, middle]), "CertificatePurpose"],
            "leafExpired": [token(chain=[old_leaf, middle]), "CertificateExpired"],
            "leafNotYetValid": [token(chain=[early_leaf, middle]), "CertificateExpired"],
            "authorityExpired": [token(chain=[signer, old_middle]), "CertificateExpired"],
            "signedTooEarly": [token(signed_at=NOW - 5 * minute - SECOND), "SigningTime"],
            "signedTooLate": [token(signed_at=NOW + 5 * minute + SECOND), "SigningTime"],
            "withoutSigningTime": [token(time=False), "Field(\"signature\")"],
            "otherMerchant": [token(merchant="merchant.another"), "Sealed"],
            "mixedKeys": [token(to=second_processing, says=processing), "Sealed"],
            "unknownKey": [token(to=p256()), "Key"],
            "versionOfTheOtherKey": [token(to=processing, says=rsa_processing), "Key"],
            "emv": [token(emv), "Method"],
            "noCryptogram": [token({**PAYMENT, "paymentData": {}}), "Method"],
            "unknownCurrency": [token({**PAYMENT, "currencyCode": "999"}), "Content(\"currency\")"],
            "negativeAmount": [token({**PAYMENT, "transactionAmount": -1}), "Content(\"amount\")"],
        },
    }


def check_with_openssl(signature, content, root):
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, name) for name in ("signature", "content", "root")}
        for name, data in (("signature", signature), ("content", content),
                           ("root", root.public_bytes(serialization.Encoding.PEM))):
            with open(paths[name], "wb") as file:
                file.write(data)
        subprocess.run(
            ["openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", paths["signature"], "-content", paths["content"],
             "-CAfile", paths["root"], "-purpose", "any", "-out", os.devnull],
            check=True, capture_output=True)


if __name__ == "__main__":
    vectors = {"now": NOW.strftime("%Y-%m-%dT%H:%M:%SZ"), "google": google(), "apple": apple()}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors.json"), "w") as file:
        json.dump(vectors, file, indent=1)
        file.write("\n")
