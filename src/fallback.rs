//! Whether a call that failed at one target goes on to the next.

use crate::kind::ErrorKind;

/// Whether a failure of this kind may be another target's success: the caller's list decides
/// (the option `fallbackOn`), or without one the taxonomy. A target whose breaker is open was
/// not asked, so it is passed over whatever the list says.
///
/// A target may have a deadline of its own. One that has passed is that target's failure;
/// whoever asks looks besides whether that of the whole call has passed.
pub fn may_fall_over(kind: ErrorKind, listed: Option<&[ErrorKind]>) -> bool {
    match listed {
        Some(kinds) => kind == ErrorKind::CircuitOpen || kinds.contains(&kind),
        None => kind == ErrorKind::DeadlineExceeded || kind.properties().may_fall_over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_the_target_goes_on_and_what_is_wrong_with_the_request_does_not() {
        for kind in [
            ErrorKind::Timeout,
            ErrorKind::Overloaded,
            ErrorKind::QuotaExhausted,
            ErrorKind::Auth,
            ErrorKind::ModelNotFound,
            ErrorKind::ContextExceeded,
            ErrorKind::CircuitOpen,
            ErrorKind::DeadlineExceeded,
        ] {
            assert!(may_fall_over(kind, None), "{kind:?}");
        }
        for kind in [
            ErrorKind::Cancelled,
            ErrorKind::BadRequest,
            ErrorKind::Redirected,
            ErrorKind::SchemaMismatch,
            ErrorKind::ToolCallsAlreadyExecuted,
            ErrorKind::FallbackExhausted,
            ErrorKind::Unknown,
        ] {
            assert!(!may_fall_over(kind, None), "{kind:?}");
        }
    }

    #[test]
    fn a_list_replaces_the_taxonomy_except_for_an_open_breaker() {
        let listed = [ErrorKind::BadRequest];
        for &kind in ErrorKind::ALL {
            let is_open = kind == ErrorKind::CircuitOpen;
            assert_eq!(may_fall_over(kind, Some(&listed)), is_open || kind == ErrorKind::BadRequest);
            assert_eq!(may_fall_over(kind, Some(&[])), is_open);
        }
    }
}
