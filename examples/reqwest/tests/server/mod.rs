//! An HTTP server on the loopback interface that answers by a script.

use std::collections::VecDeque;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// How a request is answered.
pub enum Reply {
    /// With a status, header lines and a body.
    Answer(u16, &'static str, &'static str),
    /// With a body that ends before its length.
    CutShort(u16, &'static str, &'static str),
    /// Never.
    Silence,
}

pub struct Server {
    pub url: String,
    /// Each request, as its text.
    pub requests: UnboundedReceiver<String>,
    /// Told when the client of a silent answer has left.
    pub left: UnboundedReceiver<()>,
    task: JoinHandle<()>,
}

impl Server {
    pub async fn start(replies: impl IntoIterator<Item = Reply>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/v1/answers", listener.local_addr().expect("an address"));
        let (seen, requests) = unbounded_channel();
        let (leaving, left) = unbounded_channel();
        let replies = replies.into_iter().collect();
        let task = tokio::spawn(serve(listener, replies, seen, leaving));
        Server { url, requests, left, task }
    }

    /// The requests that came until now.
    pub fn seen(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.requests.try_recv().ok()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    listener: TcpListener,
    mut replies: VecDeque<Reply>,
    seen: UnboundedSender<String>,
    leaving: UnboundedSender<()>,
) {
    while let Ok((mut client, _)) = listener.accept().await {
        // Nobody listens any more when a test is over.
        let _ = seen.send(request(&mut client).await);
        let answer = match replies.pop_front() {
            Some(Reply::Answer(status, headers, body)) => head(status, headers, body.len()) + body,
            Some(Reply::CutShort(status, headers, body)) => head(status, headers, body.len() + 1) + body,
            Some(Reply::Silence) => {
                while client.read(&mut [0; 64]).await.is_ok_and(|length| length > 0) {}
                let _ = leaving.send(());
                continue;
            }
            None => head(404, "", 0),
        };
        let _ = client.write_all(answer.as_bytes()).await;
        let _ = client.shutdown().await;
    }
}

fn head(status: u16, headers: &str, length: usize) -> String {
    format!("HTTP/1.1 {status} \r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n")
}

async fn request(client: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut piece = [0; 4096];
    while !is_whole(&text) {
        match client.read(&mut piece).await {
            Ok(length) if length > 0 => text += &String::from_utf8_lossy(piece.get(..length).unwrap_or_default()),
            _ => break,
        }
    }
    text
}

fn is_whole(request: &str) -> bool {
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}
