//! The kind of a failure by its HTTP status alone. Whether it is retried is the policy's
//! `StatusRule`; what a provider's code says of it comes before this.

use crate::kind::ErrorKind;

/// The kind of a failed response with this status. `located`: it has a `Location`.
pub fn kind(status: u16, located: bool) -> ErrorKind {
    match status {
        301 | 302 | 303 | 307 | 308 => ErrorKind::Redirected,
        300..=399 if located => ErrorKind::Redirected,
        400 | 405 | 406 | 410 | 415 | 422 => ErrorKind::BadRequest,
        401 => ErrorKind::Auth,
        402 => ErrorKind::QuotaExhausted,
        403 | 407 | 412 | 451 => ErrorKind::Permission,
        404 => ErrorKind::NotFound,
        408 | 504 | 522 | 524 => ErrorKind::Timeout,
        409 => ErrorKind::Conflict,
        413 => ErrorKind::RequestTooLarge,
        429 => ErrorKind::RateLimited,
        499 => ErrorKind::Cancelled,
        503 | 529 => ErrorKind::Overloaded,
        500..=599 => ErrorKind::ServerError,
        400..=499 => ErrorKind::BadRequest,
        _ => ErrorKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_its_kind() {
        for (statuses, name) in [
            (&[400, 405, 406, 410, 415, 422, 418, 425, 428, 431][..], "bad_request"),
            (&[401], "auth"),
            (&[402], "quota_exhausted"),
            (&[403, 407, 412, 451], "permission"),
            (&[404], "not_found"),
            (&[408, 504, 522, 524], "timeout"),
            (&[409], "conflict"),
            (&[413], "request_too_large"),
            (&[429], "rate_limited"),
            (&[499], "cancelled"),
            (&[503, 529], "overloaded"),
            (&[500, 501, 502, 505, 520, 530, 599], "server_error"),
            (&[0, 100, 204, 300, 305, 600, 999], "unknown"),
        ] {
            for status in statuses {
                assert_eq!(kind(*status, false).as_str(), name, "{status}");
            }
        }
        assert_eq!(kind(302, true), ErrorKind::Redirected);
        assert_eq!(kind(307, false), ErrorKind::Redirected, "also without the place to go to");
        assert_eq!(kind(300, true), ErrorKind::Redirected);
        assert_eq!(kind(200, true), ErrorKind::Unknown);
    }
}
