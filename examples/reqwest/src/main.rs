//! `dacapo-reqwest URL [BODY]` calls a URL, again where that may help, and prints what it took. Ctrl-C cancels.

use dacapo::Policy;
use dacapo::clock::DelayMs;
use dacapo::history::{AttemptRecord, History};
use dacapo_reqwest::{Brought, send};
use reqwest::{Client, Method};
use std::error::Error;
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("dacapo-reqwest URL [BODY]")?;
    let client = Client::new();
    let request = match arguments.next() {
        Some(body) => client.post(url).body(body),
        None => client.request(Method::GET, url),
    };
    let policy = Policy { timeout: Some(DelayMs::new(10_000)), ..Policy::default() }.checked()?;

    let cancel = CancellationToken::new();
    let call = send(&client, request.build()?, policy.into(), &cancel);
    let interrupt = async {
        // Where no signal can be heard there is nothing to be cancelled by.
        if tokio::signal::ctrl_c().await.is_ok() {
            cancel.cancel();
        }
        std::future::pending().await
    };
    let (brought, history) = tokio::select! {
        ended = call => ended,
        never = interrupt => never,
    };
    print(&history);
    Ok(match brought {
        Brought::Answer(answer) => {
            let exit = if answer.status().is_success() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
            println!("{} {}", answer.status(), answer.text().await?);
            exit
        }
        Brought::Failed(error) => return Err(error.into()),
        Brought::Cancelled => {
            println!("cancelled");
            ExitCode::FAILURE
        }
    })
}

fn print(history: &History) {
    for AttemptRecord { attempt, error, delay_ms, delay_from, .. } in history.attempts.iter().chain(&history.last) {
        let then = delay_from.map(|from| format!(", then {} ms ({from})", delay_ms.get())).unwrap_or_default();
        println!("{attempt}. {}: {}{then}", error.kind, error.message);
    }
    let ended = history.mark.map(|mark| format!(", {mark}")).unwrap_or_default();
    println!("{} sent{ended}", history.retry.total_attempts);
}
