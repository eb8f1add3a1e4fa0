//! dacapo over [`reqwest`], on tokio: a [`Runtime`] of one request, and a function that drives it.

use dacapo::Policy;
use dacapo::call::{Call, Mark, Observed, Outcome, Replay};
use dacapo::classify::provider::{Inspection, inspect};
use dacapo::classify::{Ending, Link, Raised, Source};
use dacapo::clock::{DelayMs, MonoMs, Now, WallMs};
use dacapo::driver::{End, Runtime, Slept, drive};
use dacapo::history::{History, SentRequest};
use dacapo::kind::ErrorKind;
use dacapo::policy::Allowance;
use dacapo::usage::Usage;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Method, Request, Response, ResponseBuilderExt};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio_util::sync::CancellationToken;

/// What a call brought.
#[derive(Debug)]
pub enum Brought {
    /// The last answer, whatever its status; its body is there to be read.
    Answer(Response),
    /// No answer.
    Failed(reqwest::Error),
    /// The token was cancelled.
    Cancelled,
}

/// Sends a request, again where the policy says so, and tells what that took.
///
/// Dropping the future ends the request or the wait as well, but leaves no history.
pub async fn send(
    client: &Client,
    request: Request,
    policy: Arc<Policy>,
    cancel: &CancellationToken,
) -> (Brought, History) {
    let mut exchange = Exchange {
        client,
        sent: SentRequest {
            method: request.method().to_string(),
            url: request.url().to_string(),
            headers: fields(request.headers()),
            body: None,
        },
        request: Some(request),
        policy: Arc::clone(&policy),
        cancel,
        began: Instant::now(),
        brought: Brought::Cancelled,
    };
    let mut call = Call::new(policy, exchange.now());
    let brought = match drive(&mut call, &mut exchange, None).await {
        End::GaveUp(Mark::Cancelled) => Brought::Cancelled,
        End::GaveUp(_) | End::Delivered => exchange.brought,
    };
    (brought, call.into_history())
}

struct Exchange<'c> {
    client: &'c Client,
    sent: SentRequest,
    /// Gone once a body was sent that can be read only once.
    request: Option<Request>,
    policy: Arc<Policy>,
    cancel: &'c CancellationToken,
    began: Instant,
    brought: Brought,
}

impl Runtime for Exchange<'_> {
    fn now(&mut self) -> Now {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Now { mono: MonoMs(whole_ms(self.began.elapsed())), wall: WallMs(whole_ms(since_epoch).cast_signed()) }
    }

    fn unit(&mut self) -> f64 {
        fastrand::f64()
    }

    async fn attempt(&mut self, _: u32, allowance: Option<Allowance>) -> Outcome {
        let cancel = self.cancel;
        tokio::select! {
            biased;
            () = cancel.cancelled() => self.ended(Observed { ending: Ending::Cancelled, ..Observed::default() }),
            outcome = self.exchange(allowance) => outcome,
        }
    }

    async fn sleep(&mut self, delay: DelayMs) -> Slept {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Slept::Cancelled,
            () = tokio::time::sleep(Duration::from_millis(delay.get())) => Slept::Through,
        }
    }
}

impl Exchange<'_> {
    async fn exchange(&mut self, allowance: Option<Allowance>) -> Outcome {
        let (again, replay) = match self.request.as_ref().and_then(Request::try_clone) {
            Some(copy) => (self.request.replace(copy), Replay::Possible),
            None => (self.request.take(), Replay::OneShotBody),
        };
        // The engine sends nothing again after `OneShotBody`.
        let Some(mut request) = again else { unreachable!("a body was sent that can be read only once") };
        if let Some(allowance) = allowance {
            // It covers the body as well, also that of an answer which is handed over.
            *request.timeout_mut() = Some(Duration::from_millis(allowance.limit.get()));
        }
        let late = if allowance.is_some_and(|allowance| allowance.by_deadline) {
            Ending::DeadlinePassed
        } else {
            Ending::TimedOut
        };
        let posted = *request.method() == Method::POST;
        let response = match self.client.execute(request).await {
            Ok(response) => response,
            Err(error) => return self.broke(error, late, Observed { replay, ..Observed::default() }),
        };
        if response.status().is_success() && !(posted && self.policy.inspect_ok && is_json(&response)) {
            self.brought = Brought::Answer(response);
            return Outcome::Succeeded(None);
        }
        let observed = Observed {
            status: Some(response.status().as_u16()),
            headers: fields(response.headers()),
            replay,
            ..Observed::default()
        };
        self.read(response, late, observed).await
    }

    /// Reads a body for what it tells, and keeps it for the caller.
    async fn read(&mut self, response: Response, late: Ending, observed: Observed) -> Outcome {
        let (status, url) = (response.status(), response.url().clone());
        let mut answer = http::Response::builder().status(status).version(response.version()).url(url);
        for (name, value) in response.headers() {
            answer = answer.header(name, value);
        }
        let bytes = match response.bytes().await {
            Ok(bytes) => bytes,
            Err(error) => return self.broke(error, late, observed),
        };
        let body = String::from_utf8_lossy(&bytes).into_owned();
        self.brought = match answer.body(bytes) {
            Ok(answer) => Brought::Answer(answer.into()),
            Err(_) => unreachable!("it is built of a response's parts"),
        };
        match inspect(&body) {
            Inspection::CutShort if status.is_success() => {
                self.ended(Observed { ending: Ending::Truncated, usage: body, ..observed })
            }
            Inspection::Failed => self.ended(Observed { body, ..observed }),
            _ if status.is_success() => Outcome::Succeeded(Usage::read(&body)),
            _ => self.ended(Observed { body, ..observed }),
        }
    }

    /// An error instead of an answer, or of the rest of one.
    fn broke(&mut self, error: reqwest::Error, late: Ending, observed: Observed) -> Outcome {
        let by_us = |kind| Some(Raised { kind, retryable: None });
        let ending = match observed.status {
            _ if error.is_timeout() => late,
            Some(200..300) => Ending::Truncated,
            Some(_) => Ending::Response,
            None => Ending::Error,
        };
        let raised = match () {
            () if error.is_builder() => by_us(ErrorKind::BadRequest),
            () if error.is_redirect() => by_us(ErrorKind::Redirected),
            () => None,
        };
        let links = links(&error);
        self.brought = Brought::Failed(error);
        self.ended(Observed { ending, raised, links, ..observed })
    }

    fn ended(&self, observed: Observed) -> Outcome {
        // What is not known of an error of our own client is presumed to be the connection's.
        Outcome::Failed(Box::new(Observed { source: Source::Fetch, request: Some(self.sent.clone()), ..observed }))
    }
}

/// The error and its causes, as the engine reads them.
fn links(error: &reqwest::Error) -> Vec<Link> {
    let mut links = Vec::new();
    let mut next: Option<&dyn Error> = Some(error);
    while let Some(error) = next {
        links.push(Link { message: error.to_string(), ..Link::default() });
        next = error.source();
    }
    links
}

/// Header fields in the form of [`dacapo::headers::Headers`].
fn fields(headers: &HeaderMap) -> String {
    let mut text = String::new();
    for (name, value) in headers {
        text.extend([name.as_str(), "\n", &String::from_utf8_lossy(value.as_bytes()), "\n"]);
    }
    text
}

fn is_json(response: &Response) -> bool {
    let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    media_type.split(';').next().unwrap_or_default().trim_end().ends_with("json")
}

fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The code of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/native.md")]
pub struct Guide;
