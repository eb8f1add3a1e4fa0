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
//! # A runtime
//!
//! What sends, sleeps and reads the clocks is a [`driver::Runtime`]. This one is a test's: it
//! fails once, and its time passes in sleeps only.
//!
//! ```
//! use dacapo::Policy;
//! use dacapo::call::{Call, Observed, Outcome};
//! use dacapo::clock::{DelayMs, Now};
//! use dacapo::driver::{End, Runtime, Slept, drive};
//! use dacapo::policy::Allowance;
//! use std::pin::pin;
//! use std::task::{Context, Poll, Waker};
//!
//! #[derive(Default)]
//! struct Once {
//!     now: Now,
//! }
//!
//! impl Runtime for Once {
//!     fn now(&mut self) -> Now {
//!         self.now
//!     }
//!     fn unit(&mut self) -> f64 {
//!         0.5
//!     }
//!     async fn attempt(&mut self, attempt: u32, _: Option<Allowance>) -> Outcome {
//!         match attempt {
//!             1 => Outcome::Failed(Box::new(Observed { status: Some(503), ..Observed::default() })),
//!             _ => Outcome::Succeeded(None),
//!         }
//!     }
//!     async fn sleep(&mut self, delay: DelayMs) -> Slept {
//!         self.now = self.now.later(delay);
//!         Slept::Through
//!     }
//! }
//!
//! let mut call = Call::new(Policy::default().into(), Now::default());
//! let mut runtime = Once::default();
//! let end = pin!(drive(&mut call, &mut runtime, None)).poll(&mut Context::from_waker(Waker::noop()));
//! assert_eq!(end, Poll::Ready(End::Delivered));
//!
//! let history = call.into_history();
//! assert_eq!((history.retry.total_attempts, history.attempts[0].delay_ms.get()), (2, 375));
//! ```
//!
//! The crate's repository has one over reqwest and tokio, in `examples/reqwest`, and a guide,
//! `docs/native.md`.
//!
//! # Where a rule lives
//!
//! [`classify`] says what a failure is, [`policy`] what is retried and
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
