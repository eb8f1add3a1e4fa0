//! Causes that have no code of their own, told by the words of a message.
//!
//! A message is taken sentence by sentence, and a sentence is the set of the words in it that
//! matter. Names, numbers, order and whatever else is said make no difference, and a sentence
//! that is added changes nothing.

use super::index::{self, Meaning, Weight, WordHash};
use crate::kind::ErrorKind;
use crate::scan::{from, part};

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
rate rate tpm rpm qps
limited limited
throttled throttled
throughput throughput
per per
minute minute minutes min
model model models
large large larger
greater greater
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
low low negative
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
access access
extra extra
plan plan plans
invalid invalid incorrect expired
cors cors
location location region
allowed allowed
supported supported supports support
not not doesn isn couldn don unable
no no
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
block block blocked rejected violating violates violate violated violation violations triggering triggered
safety safety
moderation moderation
flag flagged
unfit inappropriate risk sensitive nsfw
timed timed timeout
deadline deadline
thinking thinking
array array
range range
count count
any any
schema schema nesting
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
quota_exhausted usage limit hit plan
quota_exhausted limit hit day -per -rate
quota_exhausted extra usage
quota_exhausted credit low
quota_exhausted credit insufficient
quota_exhausted quota insufficient
quota_exhausted credit out
quota_exhausted credit more need
quota_exhausted credit hit
quota_exhausted credit not any
quota_exhausted credit no
quota_exhausted quota out -timed
quota_exhausted afford tokens
quota_exhausted free day used
quota_exhausted free model day
quota_exhausted limited month -minute
quota_exhausted quota hit day per -minute
quota_exhausted byday
quota_exhausted quota hit current -google -minute
context_exceeded context length max -must
context_exceeded context hit -deadline -rate -per -schema
context_exceeded context length insufficient
context_exceeded context too long
context_exceeded prompt context greater
context_exceeded prompt too long -array
context_exceeded input too long -array
context_exceeded prompt length max -array
context_exceeded input length range
context_exceeded input tokens count supported
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
auth access tokens invalid
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
rate_limited throttled
rate_limited throughput hit
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

/// The bytes of `RULES`: for each rule the kind, how many words, and the words by their lines
/// in `WORDS`, with `NOT` where they must not be there.
static PARSED: [u8; RULES_LENGTH] = parsed();
const RULES_LENGTH: usize = count(RULES, b' ') + 2 * count(RULES, b'\n');
const NOT: u8 = 0x80;

const LOOKUP: u8 = line_of(b"lookup");
const IN_BAND: u8 = line_of(b"inband");
/// What is said once for a whole message.
const LASTING: u8 = line_of(b"google");
const MODEL: u8 = line_of(b"model");

const fn count(text: &str, byte: u8) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < text.len() {
        count += (text.as_bytes()[at] == byte) as usize;
        at += 1;
    }
    count
}

/// Whether the word of `text` that begins at `at` is this one.
const fn is_at(text: &[u8], at: usize, word: &[u8]) -> bool {
    let mut length = 0;
    while length < word.len() {
        if at + length >= text.len() || text[at + length] != word[length] {
            return false;
        }
        length += 1;
    }
    at + length == text.len() || matches!(text[at + length], b' ' | b'\n')
}

/// The line of `WORDS` that begins with this name.
const fn line_of(name: &[u8]) -> u8 {
    let words = WORDS.as_bytes();
    let (mut line, mut at) = (0, 0);
    while !is_at(words, at, name) {
        while words[at] != b'\n' {
            at += 1;
        }
        at += 1;
        line += 1;
    }
    line
}

const fn kind_of(name: &[u8]) -> ErrorKind {
    let mut at = 0;
    while !is_at(ErrorKind::ALL[at].as_str().as_bytes(), 0, name) {
        at += 1;
    }
    ErrorKind::ALL[at]
}

/// What is wrong in `RULES` does not compile.
const fn parsed() -> [u8; RULES_LENGTH] {
    let rules = RULES.as_bytes();
    let mut parsed = [0; RULES_LENGTH];
    let (mut at, mut end, mut rule) = (0, 0, 0);
    let mut is_kind = true;
    while at < rules.len() {
        let start = at;
        while !matches!(rules[at], b' ' | b'\n') {
            at += 1;
        }
        let (_, rest) = rules.split_at(start);
        let (part, _) = rest.split_at(at - start);
        if is_kind {
            parsed[end] = kind_of(part) as u8;
            rule = end;
            end += 2;
        } else {
            parsed[end] = match part {
                [b'-', name @ ..] => NOT | line_of(name),
                name => line_of(name),
            };
            parsed[rule + 1] += 1;
            end += 1;
        }
        is_kind = rules[at] == b'\n';
        at += 1;
    }
    parsed
}

/// The rules: the kind, and the words as in `PARSED`.
fn rules() -> impl Iterator<Item = (u8, &'static [u8])> {
    let mut rest = PARSED.as_slice();
    std::iter::from_fn(
        #[inline(always)]
        move || {
            let [kind, length, after @ ..] = rest else { return None };
            let (words, after) = after.split_at_checked(usize::from(*length))?;
            rest = after;
            Some((*kind, words))
        },
    )
}

/// A set of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bag([u32; 4]);

impl Bag {
    fn add(&mut self, word: u8) {
        if let Some(bits) = self.0.get_mut(usize::from(word / 32)) {
            *bits |= 1 << (word % 32);
        }
    }

    #[inline(always)]
    fn has(&self, word: u8) -> bool {
        self.0.get(usize::from(word / 32)).is_some_and(|bits| bits >> (word % 32) & 1 != 0)
    }
}

/// Reads messages one after the other, and knows the best rule so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reader {
    given: Bag,
    /// The place of the best rule, and its kind.
    best: Option<(usize, u8)>,
    /// What the name of an exception means that a message quotes.
    pub class: Option<Meaning>,
}

impl Reader {
    /// `lookup`: the status or the code says that something was not found. `in_band`: the
    /// failure came inside a 200. `google`: Google says "current quota" of a minute's as well.
    pub fn new(lookup: bool, in_band: bool, google: bool) -> Reader {
        let mut reader = Reader::default();
        for (is, word) in [(lookup, LOOKUP), (in_band, IN_BAND), (google, LASTING)] {
            if is {
                reader.given.add(word);
            }
        }
        reader
    }

    /// Reads a message, or a code, in which a capital letter can begin a word.
    pub fn read(&mut self, message: &str, is_code: bool) {
        let message = part(message, 0, message.floor_char_boundary(LONGEST));
        let (mut bag, mut before, mut last, mut in_address) = (self.given, "", b' ', false);
        let (mut start, mut hash) = (0, WordHash::START);
        for at in 0..=message.len() {
            // A space behind the message ends its last word and sentence.
            let byte = message.as_bytes().get(at).copied().unwrap_or(b' ');
            if in_address && !byte.is_ascii_whitespace() {
                continue;
            }
            in_address = false;
            let begins_word = is_code && last.is_ascii_lowercase() && byte.is_ascii_uppercase();
            if byte.is_ascii_alphabetic() && !begins_word {
                hash = hash.and(byte);
                last = byte;
                continue;
            }
            if last.is_ascii_alphabetic() {
                let word = part(message, start, at);
                self.read_word(before, word, hash, &mut bag);
                before = word;
                // The words of an address say nothing.
                in_address = byte == b':' && from(message, at).starts_with("://");
            }
            (start, hash) = if begins_word { (at, WordHash::START.and(byte)) } else { (at + 1, WordHash::START) };
            if byte == b'\n' || (matches!(last, b'.' | b'!' | b'?') && byte.is_ascii_whitespace()) {
                bag = self.weigh(bag);
            }
            last = byte;
        }
        self.weigh(bag);
    }

    #[inline(never)]
    fn read_word(&mut self, before: &str, word: &str, hash: WordHash, bag: &mut Bag) {
        if let Some(line) = index::value_of_word(word, hash) {
            bag.add(line as u8);
            if line as u8 == MODEL
                && let Some(line) = index::value(index::WORD, &[before, word])
            {
                bag.add(line as u8);
            }
        }
        if self.class.is_none() && word.len() > 8 && (word.ends_with("Error") || word.ends_with("Exception")) {
            self.class = index::meaning(word).filter(|meaning| meaning.weight != Weight::Anything);
        }
    }

    /// Takes the words of a sentence; gives those with which the next one begins.
    #[inline(never)]
    fn weigh(&mut self, bag: Bag) -> Bag {
        let mut next = self.given;
        if bag.has(LASTING) {
            next.add(LASTING);
        }
        // What is only given says nothing.
        if bag == self.given {
            return next;
        }
        let before = self.best.map_or(usize::MAX, |(place, _)| place);
        for (place, (kind, words)) in rules().enumerate().take(before) {
            if words.iter().all(|word| bag.has(word & !NOT) == (word & NOT == 0)) {
                self.best = Some((place, kind));
                break;
            }
        }
        next
    }

    /// The kind that the messages name.
    pub fn kind(self) -> Option<ErrorKind> {
        ErrorKind::ALL.get(usize::from(self.best?.1)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(message: &str) -> Option<&'static str> {
        with(message, false, false, false)
    }

    fn with(message: &str, lookup: bool, in_band: bool, google: bool) -> Option<&'static str> {
        let mut reader = Reader::new(lookup, in_band, google);
        reader.read(message, false);
        reader.kind().map(ErrorKind::as_str)
    }

    #[test]
    fn no_rule_hides_another_and_every_word_is_in_one() {
        assert!(WORDS.lines().count() <= 8 * size_of::<Bag>());
        let rules: Vec<_> = rules().collect();
        assert_eq!(rules.len(), RULES.lines().count());
        for (line, (kind, words)) in RULES.lines().zip(&rules) {
            let name = |word: &u8| WORDS.lines().nth(usize::from(word & !NOT)).and_then(|line| line.split(' ').next());
            let sign = |word: &u8| if word & NOT == 0 { "" } else { "-" };
            let words = words.iter().map(|word| [sign(word), name(word).unwrap_or("")].concat());
            let kind = ErrorKind::ALL[usize::from(*kind)].as_str().to_owned();
            assert_eq!(std::iter::once(kind).chain(words).collect::<Vec<_>>().join(" "), line);
        }
        for line in 0..WORDS.lines().count() as u8 {
            assert!(rules.iter().any(|(_, words)| words.iter().any(|word| word & !NOT == line)), "word {line}");
        }
        for (at, (_, words)) in rules.iter().enumerate() {
            let hidden = |(_, earlier): &&(u8, &[u8])| earlier.iter().all(|word| words.contains(word));
            assert!(rules.iter().take(at).find(hidden).is_none(), "rule {at}");
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
            ("You have reached your daily limit.", "quota_exhausted"),
            ("This request exceeds your plan's set usage limit.", "quota_exhausted"),
            ("You're out of extra usage.", "quota_exhausted"),
            ("You don't have any more credits", "quota_exhausted"),
            ("No credits remaining", "quota_exhausted"),
            ("Your current account balance is negative.", "quota_exhausted"),
            ("Access token invalid or no longer valid", "auth"),
            ("Tokens to keep from the initial prompt are greater than the context length.", "context_exceeded"),
            ("The input text may have sensitive content", "content_filtered"),
            ("Open api qps request limit reached", "rate_limited"),
            ("Request was throttled.", "rate_limited"),
            ("Provisioned throughput of the table was exceeded.", "rate_limited"),
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
            "Rate limit reached on requests per day (RPD): Limit 200, Used 200, Requested 1.",
            "Daily rate limit of a rolling window exceeded",
            "You exceeded your current quota of requests of a minute",
            "You do not have access. The number of tokens is invalid.",
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
