//! **dacapo**: a retry engine for LLM and HTTP calls.
//!
//! The core is sans-I/O: it never sleeps, reads a clock or draws a random number. A
//! [`call::Call`] takes an event and gives a command; [`driver::drive`] is the loop between
//! that state machine and any [`driver::Runtime`]. The npm package `dacapo` is this crate as
//! WebAssembly with a runtime over `fetch` and `AbortSignal`.
//!
//! ```
//! use dacapo::Policy;
//! use dacapo::classify::{Failure, classify};
//! use dacapo::clock::WallMs;
//! use dacapo::headers::Headers;
//!
//! let policy = Policy { max_attempts: 4, ..Policy::default() }.checked()?;
//! let failure = Failure {
//!     status: Some(429),
//!     headers: Headers::new("retry-after\n2"),
//!     ..Default::default()
//! };
//! let verdict = classify(&failure, &policy, WallMs(0));
//! assert_eq!(verdict.kind.as_str(), "rate_limited");
//! assert_eq!(verdict.hint.map(|hint| hint.delay.get()), Some(2000));
//! # Ok::<(), dacapo::ConfigFaults>(())
//! ```
//!
//! Where a rule lives: [`classify`] says what a failure is, [`policy`] what is retried and
//! how long is waited, [`retry_after`] reads the server's hints, [`redact`] hides secrets,
//! [`call`] counts attempts and time, [`usage`] counts tokens, [`history`] keeps the records,
//! [`kind`] has the taxonomy. What calls share: [`breaker`] refuses calls to a target that
//! fails, [`budget`] bounds their retries, [`guard`] is one call's hold on both.

mod base64;
pub mod breaker;
pub mod budget;
pub mod call;
pub mod classify;
pub mod clock;
mod decimal;
pub mod driver;
pub mod fallback;
pub mod guard;
pub mod headers;
pub mod history;
pub mod kind;
mod names;
pub mod policy;
pub mod redact;
pub mod retry_after;
mod saved;
mod scan;
pub mod stream;
pub mod usage;
mod window;

#[cfg(all(target_arch = "wasm32", feature = "bindings"))]
mod bindings;

pub use kind::{ErrorKind, provider_kind};
pub use policy::{ConfigFaults, Policy, Preset};
