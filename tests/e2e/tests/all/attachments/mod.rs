//! Attachments of payments.

mod buckets;
mod copies;
mod files;
mod refused;

/// A small document.
const PDF: &[u8] = b"%PDF-1.7\n1 0 obj\n<< >>\nendobj\n%%EOF\n";
/// A small picture.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
/// What a file is said to be.
const PDF_TYPE: &str = "application/pdf";
