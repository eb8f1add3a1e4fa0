//! Causes that have no code of their own, told by the words of a message.
//!
//! A message is taken sentence by sentence, and a sentence is the set of the words in it that
//! matter. Names, numbers, order and whatever else is said make no difference, and a sentence
//! that is added changes nothing.

use super::index::{self, Meaning, Weight, WordHash};
use crate::kind::ErrorKind;
use crate::scan::cut;
use std::sync::OnceLock;

/// A name, and the words that are one word to us. Of two words with a dot between them the
/// second must follow the first.
pub const WORDS: &str = "\
hit hit exceed exceeds exceeded exceeding reached crossed longer exhausted depleted overflow overflows surpassed
max max maximum
context context
length length window
limit limit limits cap threshold
size size
tokens tokens token
input input
inputs inputs
prompt prompt prompts message messages
long long
too too
many many
must must
rate rate tpm rpm
limited limited throttled
per per
minute minute minutes min
model model models
large large larger
request request requests payload entity
usage usage
api api
spend spend spending
billing billing
budget budget
month month monthly week weekly hour hourly hours session
day day daily
byday byday userbymodelbyday userbyday
credit credit credits balance funds
low low
insufficient insufficient inadequate enough
out out
more more
need need requires require required
afford afford
quota quota
current current
free free
used used
key key
invalid invalid incorrect expired
cors cors
location location region
allowed allowed
supported supported supports support
not not doesn isn couldn unable
found found
exist exist exists
nomodel unknown.model invalid.model
identifier identifier id
valid valid
endpoints endpoints
tool tool tools function file image parameter property argument field
overloaded overloaded overload
high high peak
demand demand traffic load
busy busy
capacity capacity
loading loading
content content
policy policy policies filter filtering filters guidelines
block block blocked rejected violating violates violate violated triggering triggered
safety safety
moderation moderation
flag flagged
unfit inappropriate risk
timed timed timeout
deadline deadline
thinking thinking
array array
range range
lookup
inband
google google gemini geminiexception vertexaiexception googleapis";

/// A kind, the words of one sentence that must all be there, and with `-` those that must not.
/// The first rule that fits decides.
const RULES: &str = "\
content_filtered policy block content
content_filtered policy block usage
content_filtered safety block
content_filtered moderation block
content_filtered content unfit
content_filtered flag
spend_limit_reached spend limit hit
spend_limit_reached billing limit hit
spend_limit_reached billing max hit
spend_limit_reached budget hit -thinking
spend_limit_reached usage limit api hit
spend_limit_reached key limit hit -rate -per -request
quota_exhausted usage limit hit month
quota_exhausted usage limit hit day
quota_exhausted credit low
quota_exhausted credit insufficient
quota_exhausted quota insufficient
quota_exhausted credit out
quota_exhausted credit more need
quota_exhausted credit hit
quota_exhausted credit not
quota_exhausted quota out -timed
quota_exhausted afford tokens
quota_exhausted free day used
quota_exhausted free model day
quota_exhausted limited month -minute
quota_exhausted quota hit day per -minute
quota_exhausted byday
quota_exhausted quota hit current -google
context_exceeded context length max -must
context_exceeded context hit -deadline -rate -per
context_exceeded context length insufficient
context_exceeded context too long
context_exceeded prompt too long -array
context_exceeded input too long -array
context_exceeded prompt length max -array
context_exceeded input length range
context_exceeded input tokens supported -not
context_exceeded inputs tokens must
context_exceeded input tokens hit -rate -per -day
context_exceeded prompt tokens hit -rate -per -day
context_exceeded request tokens model limit hit -rate -per -day
context_exceeded too many input tokens -rate -per
context_exceeded too many tokens hit -rate -per
request_too_large request too large
request_too_large request size hit -high
auth api key invalid
auth api key not valid
permission cors not allowed
permission location not supported
model_not_found nomodel -tool
model_not_found model not found -tool
model_not_found model not exist -tool
model_not_found model identifier invalid -tool
model_not_found model identifier not valid -tool
model_not_found model lookup
model_not_found endpoints found -supported
rate_limited rate limit hit
rate_limited rate limited
rate_limited too many request
overloaded overloaded
overloaded high demand
overloaded busy
overloaded capacity hit -billing
overloaded capacity insufficient
overloaded model loading
timeout timed inband
";

/// A message longer than this is not read to its end.
const LONGEST: usize = 4096;

/// A set of words.
type Bag = u128;

struct Rule {
    all: Bag,
    none: Bag,
    kind: ErrorKind,
}

struct Wording {
    rules: Vec<Rule>,
    lookup: Bag,
    in_band: Bag,
    /// What is said once for a whole message.
    lasting: Bag,
    model: Bag,
}

/// Reads messages one after the other, and knows the best rule so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reader {
    given: Bag,
    best: Option<usize>,
    /// What the name of an exception means that a message quotes.
    pub class: Option<Meaning>,
}

impl Reader {
    /// `lookup`: the status or the code says that something was not found. `in_band`: the
    /// failure came inside a 200. `google`: Google says "current quota" of a minute's as well.
    pub fn new(lookup: bool, in_band: bool, google: bool) -> Reader {
        let wording = wording();
        let bit = |is: bool, bit: Bag| if is { bit } else { 0 };
        let given = bit(lookup, wording.lookup) | bit(in_band, wording.in_band) | bit(google, wording.lasting);
        Reader { given, ..Reader::default() }
    }

    /// Reads a message.
    pub fn read(&mut self, message: &str) {
        let wording = wording();
        let message = message.get(..message.floor_char_boundary(LONGEST)).unwrap_or("");
        let bytes = message.as_bytes();
        let (mut lasting, mut bag, mut before, mut at) = (self.given, 0, "", 0);
        while let Some(byte) = bytes.get(at) {
            let start = at;
            let mut hash = WordHash::START;
            while let Some(letter) = bytes.get(at).filter(|byte| byte.is_ascii_alphabetic()) {
                hash = hash.and(*letter);
                at += 1;
            }
            if start == at {
                at += 1;
                let stops = matches!(byte, b'.' | b'!' | b'?') && bytes.get(at).is_none_or(u8::is_ascii_whitespace);
                if stops || *byte == b'\n' {
                    self.weigh(bag | lasting);
                    bag = 0;
                }
                continue;
            }
            let word = message.get(start..at).unwrap_or("");
            if let Some(at) = index::value_of_word(word, hash) {
                let bit = 1 << at;
                bag |= bit;
                lasting |= bit & wording.lasting;
                if bit == wording.model {
                    bag |= index::value(index::WORD, &[before, word]).map_or(0, |at| 1 << at);
                }
            }
            before = word;
            // The words of an address say nothing.
            if bytes.get(at..).is_some_and(|rest| rest.starts_with(b"://")) {
                at += bytes.iter().skip(at).take_while(|byte| !byte.is_ascii_whitespace()).count();
            }
            if self.class.is_none() && word.len() > 8 && (word.ends_with("Error") || word.ends_with("Exception")) {
                self.class = index::meaning(word).filter(|meaning| meaning.weight != Weight::Anything);
            }
        }
        self.weigh(bag | lasting);
    }

    fn weigh(&mut self, bag: Bag) {
        // What is only given says nothing.
        if bag == self.given {
            return;
        }
        let fits = |rule: &Rule| bag & rule.all == rule.all && bag & rule.none == 0;
        let before = self.best.unwrap_or(usize::MAX);
        if let Some(better) = wording().rules.iter().take(before).position(fits) {
            self.best = Some(better);
        }
    }

    /// The kind that the messages name.
    pub fn kind(self) -> Option<ErrorKind> {
        wording().rules.get(self.best?).map(|rule| rule.kind)
    }
}

fn wording() -> &'static Wording {
    static WORDING: OnceLock<Wording> = OnceLock::new();
    WORDING.get_or_init(|| {
        let named = |name: &str| {
            let mut lines = WORDS;
            let mut bit = 1;
            while let Some(mut line) = cut(&mut lines, b'\n') {
                if cut(&mut line, b' ') == Some(name) {
                    return bit;
                }
                bit <<= 1;
            }
            0
        };
        let mut rules = Vec::new();
        let mut lines = RULES;
        while let Some(mut line) = cut(&mut lines, b'\n') {
            let kind = cut(&mut line, b' ').and_then(ErrorKind::from_name).unwrap_or(ErrorKind::Unknown);
            let mut rule = Rule { all: 0, none: 0, kind };
            while let Some(part) = cut(&mut line, b' ') {
                match part.strip_prefix('-') {
                    Some(part) => rule.none |= named(part),
                    None => rule.all |= named(part),
                }
            }
            rules.push(rule);
        }
        let (lookup, in_band, lasting) = (named("lookup"), named("inband"), named("google"));
        Wording { rules, lookup, in_band, lasting, model: named("model") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(message: &str) -> Option<&'static str> {
        with(message, false, false, false)
    }

    fn with(message: &str, lookup: bool, in_band: bool, google: bool) -> Option<&'static str> {
        let mut reader = Reader::new(lookup, in_band, google);
        reader.read(message);
        reader.kind().map(ErrorKind::as_str)
    }

    #[test]
    fn every_rule_is_made_of_known_words_and_none_hides_another() {
        let wording = wording();
        assert_eq!(wording.rules.len(), RULES.lines().count());
        assert!(WORDS.lines().count() <= Bag::BITS as usize);
        assert!(wording.rules.iter().all(|rule| rule.kind != ErrorKind::Unknown));
        for (line, rule) in RULES.lines().zip(&wording.rules) {
            let parts = line.split(' ').skip(1);
            let (none, all): (Vec<_>, Vec<_>) = parts.partition(|part| part.starts_with('-'));
            assert_eq!(rule.all.count_ones() as usize, all.len(), "{line}");
            assert_eq!(rule.none.count_ones() as usize, none.len(), "{line}");
        }
        let used = wording.rules.iter().fold(0, |used, rule| used | rule.all | rule.none);
        assert_eq!(used.count_ones() as usize, WORDS.lines().count(), "every word is in a rule");
        for (at, rule) in wording.rules.iter().enumerate() {
            let hidden = |earlier: &&Rule| rule.all & earlier.all == earlier.all && earlier.none & !rule.none == 0;
            assert!(wording.rules.iter().take(at).find(hidden).is_none(), "rule {at}");
        }
    }

    #[test]
    fn a_cause_is_told_whatever_else_the_message_says() {
        for (message, expected) in [
            ("prompt is too long: 213462 tokens > 200000 maximum", "context_exceeded"),
            ("Sorry! The PROMPT you sent to gpt-4.1 is, at 9,001 tokens, too long.", "context_exceeded"),
            ("This model's maximum context length is 8192 tokens. However, you asked for more.", "context_exceeded"),
            ("Too many input tokens. Max input tokens: 8192", "context_exceeded"),
            ("Your credit balance is too low to access the API.", "quota_exhausted"),
            (
                "You have reached your specified API usage limits. You will regain access on 2026-09-01.",
                "spend_limit_reached",
            ),
            ("limited to 1000 API calls / month.", "quota_exhausted"),
            ("The engine is currently overloaded, please try again later", "overloaded"),
            ("Unknown model: x", "model_not_found"),
            ("litellm.RateLimitError: Rate limit reached for x", "rate_limited"),
        ] {
            assert_eq!(kind(message), Some(expected), "{message}");
        }
    }

    #[test]
    fn words_of_different_sentences_make_no_cause() {
        for message in [
            "",
            "The model is ready. The file was not found.",
            "Too many tokens, please wait before trying again.",
            "This request would exceed the rate limit of 20,000 input tokens per minute, which is long.",
            "You can use the key for free. Calls are limited to 40 / minute, not to 1000 / month.",
            "Invalid value: the model does not support it",
            "Your billing capacity will reset at the beginning of next month.",
        ] {
            let found = kind(message);
            assert!(found.is_none() || found == Some("rate_limited"), "{message}: {found:?}");
        }
    }

    #[test]
    fn what_is_known_beside_the_words_counts_only_with_them() {
        assert_eq!(with("model: claude-x", true, false, false), Some("model_not_found"));
        assert_eq!(kind("model: claude-x"), None);
        assert_eq!(with("thread t", true, true, true), None);
        assert_eq!(with("Request timed out", false, true, false), Some("timeout"));
        let quota = "You exceeded your current quota, please check your plan.";
        assert_eq!(kind(quota), Some("quota_exhausted"));
        assert_eq!(with(quota, false, false, true), None);
        assert_eq!(kind(&["litellm: GeminiException. ", quota].concat()), None);
    }

    #[test]
    fn a_message_of_any_bytes_and_length_is_read() {
        for text in
            ["é", "\u{0}", "...", "a", "prompt\u{301} too long", &"é".repeat(5000), &"prompt too long ".repeat(5000)]
        {
            kind(text);
        }
    }
}
