//! Where a wait hint can come from, and which of those places a policy consults.

/// Where a hint was found. The order of the variants is the order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HintSource {
    /// `retry-after-ms`: Azure OpenAI, OpenAI. Finer than `Retry-After`, so it comes first.
    RetryAfterMs,
    /// `x-ms-retry-after-ms`: Azure Cosmos DB and the SDKs and gateways modelled on it.
    XMsRetryAfterMs,
    /// `x-retry-after-ms`: the same under a third name.
    XRetryAfterMs,
    /// `x-amz-retry-after`: AWS. Milliseconds, although the name does not say so.
    XAmzRetryAfter,
    /// `Retry-After` (RFC 9110 section 10.2.3): seconds or an HTTP-date.
    RetryAfter,
    /// The body: a member made for it, or what its message says.
    Body,
    /// `x-ratelimit-reset-*` and the like, of a bucket that is spent.
    Reset,
}

impl HintSource {
    /// Every source, in order of preference.
    pub const ALL: [HintSource; 7] = [
        HintSource::RetryAfterMs,
        HintSource::XMsRetryAfterMs,
        HintSource::XRetryAfterMs,
        HintSource::XAmzRetryAfter,
        HintSource::RetryAfter,
        HintSource::Body,
        HintSource::Reset,
    ];

    /// The source's name in options, events and test vectors. Names never change.
    pub const fn as_str(self) -> &'static str {
        match self {
            HintSource::RetryAfterMs => "retry_after_ms",
            HintSource::XMsRetryAfterMs => "x_ms_retry_after_ms",
            HintSource::XRetryAfterMs => "x_retry_after_ms",
            HintSource::XAmzRetryAfter => "x_amz_retry_after",
            HintSource::RetryAfter => "retry_after",
            HintSource::Body => "body",
            HintSource::Reset => "reset",
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// The headers that hold nothing but a number of milliseconds, in order of preference.
pub(super) const MS_HEADERS: [(HintSource, &str); 4] = [
    (HintSource::RetryAfterMs, "retry-after-ms"),
    (HintSource::XMsRetryAfterMs, "x-ms-retry-after-ms"),
    (HintSource::XRetryAfterMs, "x-retry-after-ms"),
    (HintSource::XAmzRetryAfter, "x-amz-retry-after"),
];

/// The sources that a policy consults; the others count as absent. All by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HintSources(u16);

impl HintSources {
    /// No source: every hint is ignored.
    pub const NONE: HintSources = HintSources(0);
    /// Every source there is.
    pub const ALL: HintSources = HintSources::of(&HintSource::ALL);
    /// `Retry-After` alone: the elelem and vernllm presets.
    pub const RETRY_AFTER: HintSources = HintSources::of(&[HintSource::RetryAfter]);
    /// `Retry-After` and `retry-after-ms`: the onellm preset.
    pub const RETRY_AFTER_AND_MS: HintSources = HintSources::of(&[HintSource::RetryAfterMs, HintSource::RetryAfter]);

    /// The set of these sources.
    pub const fn of(mut sources: &[HintSource]) -> HintSources {
        let mut set = HintSources::NONE;
        while let [source, rest @ ..] = sources {
            set = set.with(*source);
            sources = rest;
        }
        set
    }

    /// This set and `source`.
    pub const fn with(self, source: HintSource) -> HintSources {
        HintSources(self.0 | source.bit())
    }

    /// Whether `source` is consulted.
    pub const fn contains(self, source: HintSource) -> bool {
        self.0 & source.bit() != 0
    }
}

impl Default for HintSources {
    fn default() -> HintSources {
        HintSources::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_all_sources_is_in_order_of_preference_and_names_each_once() {
        assert!(HintSource::ALL.is_sorted_by(|a, b| a < b));
        let mut names = HintSource::ALL.map(HintSource::as_str);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }

    #[test]
    fn a_set_holds_what_it_was_made_of_and_nothing_else() {
        let held = |set: HintSources| HintSource::ALL.into_iter().filter(|s| set.contains(*s)).collect::<Vec<_>>();
        assert_eq!(held(HintSources::NONE), []);
        assert_eq!(held(HintSources::RETRY_AFTER), [HintSource::RetryAfter]);
        assert_eq!(held(HintSources::RETRY_AFTER_AND_MS), [HintSource::RetryAfterMs, HintSource::RetryAfter]);
        assert_eq!(held(HintSources::default()), HintSource::ALL);
        let twice = HintSources::RETRY_AFTER.with(HintSource::RetryAfter);
        assert_eq!(held(twice), [HintSource::RetryAfter]);
    }
}
