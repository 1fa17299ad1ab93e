//! What readers of files share: numbers out of bytes, and the syntax of PLY. Trusts no file.

pub(crate) mod bytes;
pub(crate) mod ply;
