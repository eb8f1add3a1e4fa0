//! Real HTTP through the engine, against a server on the loopback interface.

mod server;

use dacapo::Policy;
use dacapo::clock::DelayMs;
use dacapo::history::History;
use dacapo_reqwest::{Brought, send};
use http_body_util::Full;
use reqwest::{Body, Client, Request};
use server::Reply::{Answer, CutShort, Silence};
use server::Server;
use std::time::{Duration, Instant};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_secs(10);
const JSON: &str = "content-type: application/json\r\n";

/// A policy whose own waits take no time worth mentioning.
fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.backoff.initial = DelayMs::new(1);
    policy
}

fn post(url: &str) -> Request {
    let request = Client::new().post(url).header("authorization", "Bearer s3cret-of-mine").body(r#"{"ask":1}"#);
    request.build().expect("a request")
}

async fn play(request: Request, policy: Policy) -> (Brought, History) {
    let cancel = CancellationToken::new();
    let policy = policy.checked().expect("a valid policy").into();
    timeout(LIMIT, send(&Client::new(), request, policy, &cancel)).await.expect("the call ends")
}

async fn answer(brought: Brought) -> (u16, String) {
    let Brought::Answer(answer) = brought else { panic!("{brought:?}") };
    (answer.status().as_u16(), answer.text().await.expect("a body"))
}

fn kinds(history: &History) -> Vec<&'static str> {
    history.attempts.iter().chain(&history.last).map(|record| record.error.kind).collect()
}

#[tokio::test]
async fn a_retry_after_is_waited_out_and_the_request_sent_again_as_it_was() {
    let mut server = Server::start([Answer(503, "retry-after: 1\r\n", "busy"), Answer(200, "", "served")]).await;
    let began = Instant::now();
    let (brought, history) = play(post(&server.url), policy()).await;
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!(answer(brought).await, (200, "served".into()));
    let [failed] = &history.attempts[..] else { panic!("{history:?}") };
    assert_eq!((failed.error.kind, failed.delay_from), ("overloaded", Some("hint")));
    assert_eq!(failed.retry_after_ms, Some(DelayMs::new(1000)));
    assert_eq!((history.retry.total_attempts, history.last, history.mark), (2, None, None));
    let [first, second] = &server.seen()[..] else { panic!("two requests") };
    assert!(first.ends_with(r#"{"ask":1}"#));
    assert_eq!(first, second);
}

#[tokio::test]
async fn a_spent_quota_is_told_by_the_body_and_not_retried_and_the_body_is_handed_over() {
    let spent = r#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#;
    let mut server = Server::start([Answer(429, JSON, spent)]).await;
    let (brought, history) = play(post(&server.url), policy()).await;
    assert_eq!(answer(brought).await, (429, spent.into()));
    assert_eq!((kinds(&history), history.mark), (vec!["quota_exhausted"], Some("not_retryable")));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn an_error_inside_a_200_is_retried_and_tokens_are_counted() {
    let failed = r#"{"error":{"type":"overloaded_error"},"usage":{"prompt_tokens":3,"completion_tokens":0}}"#;
    let good = r#"{"text":"hello","usage":{"prompt_tokens":3,"completion_tokens":4}}"#;
    let server = Server::start([Answer(200, JSON, failed), Answer(200, JSON, good)]).await;
    let (brought, history) = play(post(&server.url), policy()).await;
    assert_eq!(answer(brought).await, (200, good.into()));
    assert_eq!(kinds(&history), ["overloaded"]);
    assert_eq!((history.retry.wasted_total_tokens, history.billed_total_tokens()), (3, 10));
}

#[tokio::test]
async fn a_body_that_breaks_off_is_read_again() {
    let whole = r#"{"whole":true}"#;
    let cut = [CutShort(500, "", "half"), CutShort(200, JSON, r#"{"wh"#)];
    let server = Server::start(cut.into_iter().chain([Answer(200, JSON, whole)])).await;
    let (brought, history) = play(post(&server.url), policy()).await;
    assert_eq!(answer(brought).await, (200, whole.into()));
    let failed: Vec<_> = history.attempts.iter().map(|record| (record.error.kind, record.error.status)).collect();
    assert_eq!(failed, [("server_error", Some(500)), ("transport", Some(200))]);
}

#[tokio::test]
async fn after_the_last_attempt_the_last_answer_comes_back_or_reqwests_own_error() {
    let server = Server::start((0..3).map(|_| Answer(502, "", "bad gateway"))).await;
    let (brought, history) = play(post(&server.url), policy()).await;
    assert_eq!(answer(brought).await, (502, "bad gateway".into()));
    assert_eq!((history.retry.failed_attempts, history.mark), (3, Some("attempts_exhausted")));

    let url = server.url.clone();
    drop(server);
    let (brought, history) = play(post(&url), policy()).await;
    let Brought::Failed(error) = brought else { panic!("{brought:?}") };
    assert!(error.is_connect(), "{error:?}");
    assert_eq!(kinds(&history), ["transport"; 3]);
}

#[tokio::test]
async fn a_body_that_can_be_read_only_once_is_sent_only_once() {
    let mut server = Server::start([Answer(503, "", "busy")]).await;
    let body = Body::wrap(Full::new("once".as_bytes()));
    let request = Client::new().post(&server.url).header("content-length", 4).body(body).build().expect("a request");
    let (brought, history) = play(request, policy()).await;
    assert_eq!(answer(brought).await, (503, "busy".into()));
    assert_eq!((history.retry.total_attempts, history.mark), (1, Some("one_shot_body")));
    let [request] = &server.seen()[..] else { panic!("one request") };
    assert!(request.ends_with("once"), "{request}");
}

#[tokio::test]
async fn an_attempt_that_takes_too_long_is_dropped_and_made_again() {
    let mut server = Server::start([Silence, Answer(200, "", "served")]).await;
    let impatient = Policy { timeout: Some(DelayMs::new(300)), ..policy() };
    let (brought, history) = play(post(&server.url), impatient).await;
    assert_eq!(answer(brought).await, (200, "served".into()));
    assert_eq!(kinds(&history), ["timeout"]);
    assert_eq!(timeout(LIMIT, server.left.recv()).await, Ok(Some(())));
}

#[tokio::test]
async fn a_deadline_ends_the_call_in_flight() {
    let mut server = Server::start([Silence]).await;
    let deadline = Some(DelayMs::new(300));
    let (brought, history) = play(post(&server.url), Policy { deadline, ..policy() }).await;
    assert!(matches!(brought, Brought::Failed(error) if error.is_timeout()));
    assert_eq!((kinds(&history), history.mark), (vec!["deadline_exceeded"], Some("deadline_exceeded")));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_token_cancels_a_request_in_flight_and_a_wait_at_once() {
    for (reply, kept) in [(Silence, vec!["cancelled"]), (Answer(503, "retry-after: 30\r\n", ""), vec!["overloaded"])] {
        let mut server = Server::start([reply]).await;
        let (client, cancel) = (Client::new(), CancellationToken::new());
        let call = send(&client, post(&server.url), policy().into(), &cancel);
        let cancelling = async {
            server.requests.recv().await;
            // The answer, if there is one, has to have come by then.
            tokio::time::sleep(Duration::from_millis(300)).await;
            cancel.cancel();
            Instant::now()
        };
        let ((brought, history), since) =
            timeout(LIMIT, async { tokio::join!(call, cancelling) }).await.expect("an end");
        assert!(since.elapsed() < Duration::from_secs(1));
        assert!(matches!(brought, Brought::Cancelled));
        assert_eq!((kinds(&history), history.mark), (kept, Some("cancelled")));
        assert_eq!(server.seen().len(), 0);
    }
}

#[tokio::test]
async fn a_dropped_call_takes_its_request_with_it() {
    let mut server = Server::start([Silence]).await;
    let (client, cancel) = (Client::new(), CancellationToken::new());
    tokio::select! {
        _ = send(&client, post(&server.url), policy().into(), &cancel) => panic!("nobody answers"),
        _ = server.requests.recv() => {}
    }
    assert_eq!(timeout(LIMIT, server.left.recv()).await, Ok(Some(())));
}

#[tokio::test]
async fn a_history_shows_the_request_without_its_secrets() {
    let server = Server::start([Answer(401, "", "Bearer s3cret-of-mine is no good")]).await;
    let (_, history) = play(post(&format!("{}?key=s3cret-too", server.url)), policy()).await;
    let request = history.last.as_ref().and_then(|record| record.request.as_ref()).expect("a request");
    assert!(request.url.ends_with("/v1/answers?key=REDACTED"), "{}", request.url);
    assert!(!format!("{history:?}").contains("s3cret"), "{history:?}");
}

#[tokio::test]
async fn the_program_prints_the_history_and_the_answer() {
    let server = Server::start([Answer(429, "retry-after-ms: 600\r\n", ""), Answer(200, "", "served")]).await;
    let mut program = tokio::process::Command::new(env!("CARGO_BIN_EXE_dacapo-reqwest"));
    let run = program.arg(&server.url).kill_on_drop(true).output();
    let ran = timeout(LIMIT, run).await.expect("an end").expect("a program that runs");
    let printed = String::from_utf8_lossy(&ran.stdout);
    let lines: Vec<_> = printed.lines().collect();
    let [failed, sent, answer] = lines[..] else { panic!("{printed}{}", String::from_utf8_lossy(&ran.stderr)) };
    assert!(failed.starts_with("1. rate_limited: HTTP 429, then 6") && failed.ends_with(" ms (hint)"), "{failed}");
    assert_eq!((sent, answer), ("2 sent", "200 OK served"));
}
