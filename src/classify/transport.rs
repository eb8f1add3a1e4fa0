//! No answer: what an error says of the connection, across runtimes.
//!
//! Runtimes word the same failure differently and hide the cause at different depths, so
//! codes anywhere in the cause chain are looked at first, then names, then messages.
//! Messages are compared without regard to case, as parts of the text.

use super::{Link, Source};
use crate::kind::ErrorKind;
use crate::scan::contains;

/// What an error's chain turned out to be: a kind and, where one decided, a code.
pub type Finding<'e> = (ErrorKind, Option<&'e str>);

/// Codes of Node, undici, Bun and OpenSSL.
const CODES: &[(ErrorKind, &[&str])] = &[
    (
        ErrorKind::BadRequest,
        &[
            "ERR_INVALID_URL",
            "ERR_INVALID_ARG_TYPE",
            "ERR_INVALID_ARG_VALUE",
            "ERR_INVALID_CHAR",
            "ERR_INVALID_HTTP_TOKEN",
            "ERR_UNESCAPED_CHARACTERS",
            "ERR_INVALID_PROTOCOL",
            "UND_ERR_INVALID_ARG",
            "UND_ERR_NOT_SUPPORTED",
            "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
            "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
            "UNABLE_TO_GET_ISSUER_CERT",
            "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
            "DEPTH_ZERO_SELF_SIGNED_CERT",
            "SELF_SIGNED_CERT_IN_CHAIN",
            "CERT_HAS_EXPIRED",
            "CERT_NOT_YET_VALID",
            "CERT_REVOKED",
            "CERT_REJECTED",
            "CERT_UNTRUSTED",
            "CERT_SIGNATURE_FAILURE",
            "INVALID_CA",
            "HOSTNAME_MISMATCH",
            "UnexpectedRedirect",
            "ERR_TLS_CERT_ALTNAME_INVALID",
        ],
    ),
    (
        ErrorKind::Timeout,
        &[
            "ETIMEDOUT",
            "ESOCKETTIMEDOUT",
            "UND_ERR_CONNECT_TIMEOUT",
            "UND_ERR_HEADERS_TIMEOUT",
            "UND_ERR_BODY_TIMEOUT",
            "ERR_SOCKET_CONNECTION_TIMEOUT",
        ],
    ),
    (
        ErrorKind::Transport,
        &[
            "ECONNRESET",
            "ECONNREFUSED",
            "EPIPE",
            "EAI_AGAIN",
            "ENOTFOUND",
            "ENETUNREACH",
            "ENETDOWN",
            "ENETRESET",
            "EHOSTUNREACH",
            "EHOSTDOWN",
            "EADDRNOTAVAIL",
            "EPROTO",
            "ERR_NETWORK",
            "ERR_CANCELED",
            "REQUEST_SEND_ERROR",
            "ERR_STREAM_PREMATURE_CLOSE",
            "ERR_HTTP2_ERROR",
            "ERR_HTTP2_STREAM_CANCEL",
            "ERR_HTTP2_STREAM_ERROR",
            "ERR_HTTP2_SESSION_ERROR",
            "ERR_HTTP2_GOAWAY_SESSION",
            "ConnectionRefused",
            "ConnectionReset",
            "ConnectionClosed",
            "FailedToOpenSocket",
        ],
    ),
];

/// Undici's other codes (`UND_ERR_SOCKET`, `UND_ERR_CLOSED`, …) all tell of the connection, and those
/// of Node's HTTP parser of something on it that is not HTTP.
const TRANSPORT_CODE_PREFIXES: &[&str] = &["UND_ERR_", "HPE_"];

/// What axios and superagent give to their timeouts, and Node to a lost connection.
const TIMEOUT_OR_TRANSPORT_CODE: &str = "ECONNABORTED";

/// Names of error classes.
const NAMES: &[(ErrorKind, &[&str])] = &[
    (
        ErrorKind::Timeout,
        &[
            "TimeoutError",
            "APIConnectionTimeoutError",
            "ConnectTimeoutError",
            "RequestTimeoutError",
            "CohereTimeoutError",
        ],
    ),
    (
        ErrorKind::Transport,
        &[
            "AbortError",
            "NetworkError",
            "APIConnectionError",
            "SocketError",
            "APIUserAbortError",
            "GoogleGenerativeAIAbortError",
            "CanceledError",
            "RequestAbortedError",
            "ConnectionError",
        ],
    ),
];

/// Wordings of faults that do not heal: the request or its URL is wrong, or a certificate, or
/// what a Worker may send for one request is used up.
const PERMANENT: &[&str] = &[
    "bad port",
    "unknown scheme",
    "url scheme",
    "unsupported scheme",
    "unsupported protocol",
    "failed to parse url",
    "invalid url",
    "cannot be parsed as a url",
    "relative url without a base",
    "only absolute url",
    "includes credentials",
    "embedded credentials",
    "invalid header",
    "invalid character in header",
    "is not a valid http header",
    "invalid value for header",
    "headers.append",
    "headers.set",
    "failed to execute",
    "failed to construct",
    "request with get/head method",
    "get/head method cannot have body",
    "head or get request cannot have a body",
    "is not a valid http method",
    "is not a legal http method",
    "unsupported method",
    "duplex",
    "body is unusable",
    "body used already",
    "already been used",
    "already used",
    "disturbed or locked",
    "locked to a reader",
    "self-signed certificate",
    "self signed certificate",
    "invalid peer certificate",
    "certificate has expired",
    "unable to verify the first certificate",
    "unable to get local issuer certificate",
    "content security policy",
    "unexpected redirect",
    "bytestring",
    "has invalid value",
    "is not a valid url",
    "http method is unsupported",
    "invalid http method",
    "method is not valid",
    "method is forbidden",
    "get or head method cannot have a body",
    "invalid request mode",
    "request mode 'navigate'",
    "is not an accepted type",
    "could not be converted to",
    "pair to be length",
    "exactly two items",
    "only-if-cached",
    "'window' option",
    "too many subrequests",
    "subrequest depth limit",
    "redirect mode is set to 'error'",
    "invalid redirect value",
    "requests to port",
    "fetch api cannot load",
    "net::err_cert",
    "net::err_invalid_url",
    "net::err_unsafe_port",
    "net::err_unknown_url_scheme",
    "net::err_disallowed_url_scheme",
    "net::err_blocked_by",
];

/// Wordings of a slip in a program, not of a failure on the wire.
const PROGRAMMER: &[&str] = &[
    "is not a function",
    "is not a constructor",
    "is not iterable",
    "is not defined",
    "is not an object",
    "cannot read propert",
    "cannot set propert",
    "cannot destructure",
    "can't access property",
    "illegal invocation",
    "is not a response",
];

/// Wordings of a connection that failed. Chromium, Firefox, WebKit, Node, Deno, Bun, workerd, React
/// Native, and clients whose stream broke off.
const TRANSPORT: &[&str] = &[
    "failed to fetch",
    "networkerror when attempting to fetch resource",
    "load failed",
    "the internet connection appears to be offline",
    "the network connection was lost",
    "network connection lost",
    "could not connect to the server",
    "a server with the specified hostname could not be found",
    "fetch failed",
    "network error",
    "network request failed",
    "net::err_",
    "error in input stream",
    "terminated",
    "other side closed",
    "socket hang up",
    "premature close",
    "stream has been aborted",
    "connection error",
    "connection reset",
    "connection refused",
    "connection closed",
    "connection was closed",
    "socket connection was closed",
    "error sending request",
    "error reading a body from connection",
    "client error (connect)",
    "unable to connect",
    "internal error; reference =",
    "did not get a response",
    "without sending any chunks",
    "stream ended before",
    "stream ended without",
];

/// Wordings of an answer that never came.
const TIMEOUT: &[&str] = &[
    "request timed out",
    "connection timed out",
    "operation timed out",
    "timed out waiting",
    "timeout of ",
    "network timeout at",
];

/// What clients made by Fern (Cohere's) abort with when their time is over: no error, a text.
const TIMEOUT_REASON: &str = "timeout";

/// What the chain of an error says; `None` when it says nothing of a connection.
///
/// `permanent` is the policy's `permanentTransport`: without it, faults that only look like
/// transport failures are taken for transport failures.
pub fn finding<'e>(links: &'e [Link], source: Source, permanent: bool) -> Option<Finding<'e>> {
    overloaded(links)
        .or_else(|| by_code(links))
        .or_else(|| by_wording(links, &[(ErrorKind::BadRequest, PERMANENT)]))
        .or_else(|| by_name(links))
        .or_else(|| by_wording(links, &[(ErrorKind::Timeout, TIMEOUT), (ErrorKind::Transport, TRANSPORT)]))
        .or_else(|| by_reason(links))
        .or_else(|| aborted(links))
        .or_else(|| retryable(links))
        .or_else(|| by_wording(links, &[(ErrorKind::BadRequest, PROGRAMMER)]))
        .or_else(|| by_source(links, source))
        .map(|(kind, code)| match kind {
            ErrorKind::BadRequest if !permanent => (ErrorKind::Transport, code),
            _ => (kind, code),
        })
}

/// The code of a connection, where the chain has one.
pub fn code(links: &[Link]) -> Option<&str> {
    by_code(links).or_else(|| aborted(links))?.1
}

/// workerd puts flags on errors where Node puts codes.
fn overloaded(links: &[Link]) -> Option<Finding<'_>> {
    links.iter().any(|link| link.overloaded).then_some((ErrorKind::Overloaded, None))
}

/// What workerd, the AI SDK or AWS's call worth a retry, when it does not say why.
fn retryable(links: &[Link]) -> Option<Finding<'_>> {
    links.iter().any(|link| link.retryable).then_some((ErrorKind::Transport, None))
}

fn by_reason(links: &[Link]) -> Option<Finding<'_>> {
    links.iter().any(|link| link.message == TIMEOUT_REASON).then_some((ErrorKind::Timeout, None))
}

fn aborted(links: &[Link]) -> Option<Finding<'_>> {
    let code = links.iter().map(|link| link.code.as_str()).find(|code| *code == TIMEOUT_OR_TRANSPORT_CODE)?;
    Some((ErrorKind::Transport, Some(code)))
}

fn by_code(links: &[Link]) -> Option<Finding<'_>> {
    let codes = || links.iter().map(|link| link.code.as_str()).filter(|code| !code.is_empty());
    let listed =
        CODES.iter().find_map(|(kind, list)| codes().find(|code| list.contains(code)).map(|code| (*kind, Some(code))));
    listed.or_else(|| {
        let begins = |code: &&str| TRANSPORT_CODE_PREFIXES.iter().any(|prefix| code.starts_with(prefix));
        Some((ErrorKind::Transport, Some(codes().find(begins)?)))
    })
}

fn by_name(links: &[Link]) -> Option<Finding<'_>> {
    let named = |list: &[&str]| links.iter().any(|link| list.contains(&link.name.as_str()));
    NAMES.iter().find(|(_, list)| named(list)).map(|(kind, _)| (*kind, None))
}

fn by_wording(links: &[Link], table: &[(ErrorKind, &[&str])]) -> Option<Finding<'static>> {
    let worded = |list: &[&str]| links.iter().any(|link| list.iter().any(|part| contains(&link.message, part)));
    table.iter().find(|(_, list)| worded(list)).map(|(kind, _)| (*kind, None))
}

/// An error that came out of our own `fetch` is presumed to be the connection's; one that
/// came out of any other operation is not, and a JavaScript error class is a slip there.
fn by_source(links: &[Link], source: Source) -> Option<Finding<'static>> {
    match (source, links.first()?.name.as_str()) {
        (_, "ReferenceError" | "SyntaxError" | "RangeError") => Some((ErrorKind::BadRequest, None)),
        (Source::Fetch, _) => Some((ErrorKind::Transport, None)),
        (Source::Operation, "TypeError") => Some((ErrorKind::BadRequest, None)),
        (Source::Operation, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(name: &str, message: &str, code: &str) -> Link {
        Link { name: name.into(), message: message.into(), code: code.into(), ..Link::default() }
    }

    fn kind(links: &[Link]) -> Option<ErrorKind> {
        finding(links, Source::Operation, true).map(|(kind, _)| kind)
    }

    #[test]
    fn each_runtimes_wording_of_a_lost_connection_is_transport() {
        for message in [
            "Failed to fetch",
            "NetworkError when attempting to fetch resource.",
            "Load failed",
            "The Internet connection appears to be offline.",
            "The network connection was lost.",
            "fetch failed",
            "network error",
            "Network request failed",
            "terminated",
            "error sending request for url (http://127.0.0.1:1/): client error (Connect)",
            "Network connection lost.",
            "Unable to connect. Is the computer able to access the url?",
            "FETCH FAILED",
            "net::ERR_NETWORK_IO_SUSPENDED",
            "http2 request did not get a response",
            "request ended without sending any chunks",
            "stream ended before message_stop",
            "stream ended without producing a Message with role=assistant",
        ] {
            assert_eq!(kind(&[link("TypeError", message, "")]), Some(ErrorKind::Transport), "{message}");
        }
    }

    #[test]
    fn a_cause_that_does_not_heal_outweighs_the_wording_of_the_network() {
        for cause in ["bad port", "unknown scheme", "self-signed certificate", "net::ERR_CERT_AUTHORITY_INVALID"] {
            let links = [link("TypeError", "fetch failed", ""), link("Error", cause, "")];
            assert_eq!(kind(&links), Some(ErrorKind::BadRequest), "{cause}");
            assert_eq!(finding(&links, Source::Fetch, false), Some((ErrorKind::Transport, None)), "{cause}");
        }
        let expired = [link("TypeError", "fetch failed", ""), link("Error", "", "CERT_HAS_EXPIRED")];
        assert_eq!(finding(&expired, Source::Fetch, true), Some((ErrorKind::BadRequest, Some("CERT_HAS_EXPIRED"))));
    }

    #[test]
    fn a_slip_in_a_program_is_permanent_also_when_it_comes_out_of_fetch() {
        for message in [
            "x.foo is not a function",
            "Cannot read properties of undefined (reading 'a')",
            "Failed to parse URL from /relative",
            "Headers.append: \"a\\nb\" is an invalid header value.",
            "Illegal invocation",
        ] {
            let links = [link("TypeError", message, "")];
            assert_eq!(finding(&links, Source::Fetch, true), Some((ErrorKind::BadRequest, None)), "{message}");
        }
    }

    #[test]
    fn a_request_that_a_runtime_refuses_to_make_is_permanent() {
        for message in [
            "Cannot convert argument to a ByteString because the character at index 9 has a value of 8209 which is greater than 255.",
            "'TRACE' HTTP method is unsupported.",
            "Headers constructor: expected name/value pair to be length 2, found 1.",
            "Request constructor: invalid request mode",
            "Request constructor: x is not an accepted type. Expected one of follow, manual, error.",
            "'only-if-cached' can be set only with 'same-origin' mode",
            "Headers constructor: Argument 1 (\"headers\") could not be converted to: sequence, record.",
            "Header 'a' has invalid value: 'x'",
            "Header sub-sequence must contain exactly two items",
            "Invalid HTTP method string: B AD",
            "Request with a GET or HEAD method cannot have a body.",
            "Method is forbidden",
            "Method is not valid",
            "Request mode 'navigate' is not allowed",
            "Window.fetch: x is not a valid URL.",
            "Encountered redirect while redirect mode is set to 'error'",
            "Requests to port 25 are blocked",
            "Invalid redirect value, must be one of \"follow\" or \"manual\" (\"error\" won't be implemented since it does not make sense at the edge; use \"manual\" and check the response status code).",
            "Fetch API cannot load: blob:null/1",
        ] {
            let links = [link("TypeError", message, "")];
            assert_eq!(finding(&links, Source::Fetch, true), Some((ErrorKind::BadRequest, None)), "{message}");
        }
    }

    #[test]
    fn a_worker_that_may_send_nothing_more_sends_nothing_more() {
        for message in [
            "Too many subrequests.",
            "Too many subrequests by single Worker invocation. To configure this limit, see the documentation.",
            "Subrequest depth limit exceeded. This request recursed through Workers too many times.",
        ] {
            let links = [link("Error", message, "")];
            assert_eq!(finding(&links, Source::Fetch, true), Some((ErrorKind::BadRequest, None)), "{message}");
        }
    }

    #[test]
    fn a_code_is_found_at_any_depth_and_names_itself() {
        let deep =
            [link("TypeError", "fetch failed", ""), link("AggregateError", "", ""), link("Error", "", "ENETUNREACH")];
        assert_eq!(finding(&deep, Source::Fetch, true), Some((ErrorKind::Transport, Some("ENETUNREACH"))));
        let socket =
            [link("TypeError", "fetch failed", ""), link("SocketError", "other side closed", "UND_ERR_SOCKET")];
        assert_eq!(finding(&socket, Source::Fetch, true), Some((ErrorKind::Transport, Some("UND_ERR_SOCKET"))));
        let slow = [link("TypeError", "fetch failed", ""), link("", "", "UND_ERR_CONNECT_TIMEOUT")];
        assert_eq!(finding(&slow, Source::Fetch, true), Some((ErrorKind::Timeout, Some("UND_ERR_CONNECT_TIMEOUT"))));
    }

    #[test]
    fn an_error_of_no_known_shape_is_presumed_transport_only_when_fetch_threw_it() {
        let stranger = [link("Error", "boom", "")];
        assert_eq!(finding(&stranger, Source::Fetch, true), Some((ErrorKind::Transport, None)));
        assert_eq!(finding(&stranger, Source::Operation, true), None);
        assert_eq!(kind(&[link("TypeError", "odd", "")]), Some(ErrorKind::BadRequest));
        assert_eq!(finding(&[], Source::Fetch, true), None);
    }

    #[test]
    fn a_client_that_gives_its_timeout_the_code_of_a_lost_connection_is_told_by_its_words() {
        let aborted = |message| kind(&[link("AxiosError", message, "ECONNABORTED")]);
        assert_eq!(aborted("timeout of 1000ms exceeded"), Some(ErrorKind::Timeout));
        assert_eq!(aborted("write ECONNABORTED"), Some(ErrorKind::Transport));
    }

    #[test]
    fn workerds_flags_say_what_its_errors_are() {
        let flags = |retryable, overloaded| [Link { retryable, overloaded, ..link("Error", "…", "") }];
        assert_eq!(kind(&flags(true, false)), Some(ErrorKind::Transport));
        assert_eq!(kind(&flags(true, true)), Some(ErrorKind::Overloaded));
        assert_eq!(kind(&flags(false, false)), None);
    }
}
