//! Reads options by name from untyped values, which is how JavaScript gives them.

use super::check::{ConfigFaults, Fault};
use super::table::{Form, JITTERS, MEMBERS, OPTIONS, Slot, member_of};
use super::{Jitter, Policy, Preset, StatusRule};
use crate::clock::{DelayMs, MAX_SAFE_MS};
use crate::decimal::decimal;
use crate::kind::ErrorKind;
use crate::names::nearest;
use crate::retry_after::{HintSource, HintSources};
use crate::scan::{cut, split_once};

/// A value whose type nobody promised.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Absent: the default stands.
    Undefined,
    /// `true` or `false`.
    Flag(bool),
    /// Any number, NaN and the infinities included.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Value>),
    /// A plain object.
    Record(Vec<(String, Value)>),
    /// A function.
    Function,
    /// Anything else: null, a symbol, a bigint, …
    Other,
}

/// Pairs of which only one may be given.
const ALTERNATIVES: [(&str, &str); 2] = [("maxAttempts", "maxRetries"), ("retryStatus", "nonRetryableStatus")];

const WHOLE_LIMIT: u64 = u32::MAX as u64;

impl Policy {
    /// Reads named values.
    ///
    /// # Errors
    /// [`ConfigFaults`] lists every unknown name and every wrong value.
    pub fn read(values: &[(String, Value)]) -> Result<Policy, ConfigFaults> {
        let mut faults = Vec::new();
        let given = |wanted| given(values, wanted);
        let mut preset = Preset::Default;
        if let Some(value) = given("preset") {
            let names = Preset::NAMED.map(|(name, _)| name);
            let chosen = Reader { name: "preset", faults: &mut faults }.choice(value, &names);
            preset = chosen.and_then(|i| Preset::NAMED.get(i)).map_or(preset, |(_, named)| *named);
        }
        let mut policy = preset.policy();
        for (name, value) in values {
            policy.set(OPTIONS, &mut Reader { name, faults: &mut faults }, value);
        }
        for (one, other) in ALTERNATIVES {
            if given(one).is_some() && given(other).is_some() {
                faults.push(Fault::new(other, "conflict", &["absent when ", one, " is given"].concat()));
            }
        }
        // elelem waits as long as a hint says up to the cap of its own backoff.
        if preset == Preset::Elelem && given("maxRetryAfterMs").is_none() {
            policy.hints.max = policy.backoff.max;
        }
        // A value that could not be read has left the preset's in place, which is in order.
        policy.find_faults(&mut faults);
        let is_given = |name: &str| self::given(values, name).is_some();
        for fault in faults.iter_mut().filter(|fault| fault.code == "retry_delay_order") {
            // Nobody is told of an option that was not given.
            if !is_given(&fault.option) && is_given("maxDelayMs") {
                let ms = policy.throttled_delay.filter(|_| fault.option == "throttledDelayMs");
                let least = decimal(ms.unwrap_or(policy.backoff.initial).get());
                fault.allowed = ["at least ", &least, ", the ", &fault.option, " in force; give both"].concat();
                fault.option = "maxDelayMs".into();
            }
        }
        if faults.is_empty() { Ok(policy) } else { Err(ConfigFaults(faults)) }
    }

    fn set(&mut self, table: &[(&'static str, Slot)], read: &mut Reader<'_>, value: &Value) {
        let Some((_, slot)) = table.iter().find(|(name, _)| *name == read.name) else { return read.unknown(table) };
        if matches!(value, Value::Undefined) {
            return;
        }
        match slot {
            Slot::Flag(field) => assign(field(self), read.flag(value)),
            Slot::Delay(field) => assign(field(self), read.delay(value)),
            Slot::Limit(most, field) => {
                let limit = read.whole(value, 0, *most).map(DelayMs::new);
                assign(field(self), limit.map(|limit| Some(limit).filter(|l| *l > DelayMs::ZERO)));
            }
            Slot::Count(least, field) => {
                assign(field(self), read.whole(value, *least, WHOLE_LIMIT).map(|n| n as u32));
            }
            Slot::Number(field) => assign(field(self), read.number(value)),
            Slot::Choice(names, field) => {
                let chosen = read.choice(value, names);
                field(self, chosen);
            }
            Slot::Function(field) => {
                let is_function = read.function(value);
                if let Some(field) = field {
                    *field(self) = is_function;
                }
            }
            Slot::Special(form) => self.set_special(form, read, value),
        }
    }

    fn set_special(&mut self, form: &Form, read: &mut Reader<'_>, value: &Value) {
        match form {
            Form::Preset => {} // has been read
            Form::MaxRetries => {
                assign(
                    &mut self.max_attempts,
                    read.whole(value, 0, WHOLE_LIMIT - 1).map(|n| (n as u32).saturating_add(1)),
                );
            }
            Form::Jitter => assign(&mut self.backoff.jitter, read.jitter(value)),
            Form::HintSources => assign(&mut self.hints.sources, read.hint_sources(value)),
            Form::RetryStatus if is_text(value, "default") => self.statuses = StatusRule::Default,
            Form::RetryStatus => assign(&mut self.statuses, read.statuses(value).map(StatusRule::Only)),
            Form::NonRetryableStatus => assign(&mut self.statuses, read.statuses(value).map(StatusRule::AllBut)),
            Form::Methods if is_text(value, "all") => self.methods = None,
            Form::Methods => self.methods = read.texts(value, "'all' or a list of HTTP methods"),
            Form::Provider => self.provider = read.text(value, "a text"),
            Form::Expect => self.expect_json = read.choice(value, &["json"]).is_some(),
            Form::Redact => self.set_redaction(read, value),
            Form::Breaker => {
                self.breaker = None;
                if self.set_members(read, value, "CircuitBreaker") {
                    self.breaker.get_or_insert_default();
                }
            }
            Form::Budget => {
                self.budget = None;
                if self.set_members(read, value, "RetryBudget") {
                    let budget = self.budget.get_or_insert_default();
                    if matches!(value, Value::Record(members) if given(members, "initial").is_none()) {
                        budget.initial = budget.capacity;
                    }
                }
            }
            Form::FallbackOn if matches!(value, Value::Function) => self.fallback_on = None,
            Form::FallbackOn => assign(&mut self.fallback_on, read.kinds(value).map(Some)),
            Form::Key => {
                let fits = matches!(value, Value::Text(_) | Value::Function);
                read.or_fault(fits.then_some(()), "a text or a function that returns one");
            }
            Form::Store => {
                let fits = matches!(value, Value::Record(_));
                read.or_fault(fits.then_some(()), "an object with the functions read and compareAndSet");
            }
            Form::RuntimeFlag => drop(read.flag(value)),
            Form::Clock => read.clock(value),
            Form::IdempotencyKey => {
                let fits = matches!(value, Value::Flag(_) | Value::Function);
                read.or_fault(fits.then_some(()), "true, false or a function that returns a text");
            }
            Form::Usage => {
                let fits = matches!(value, Value::Flag(_) | Value::Function);
                read.or_fault(fits.then_some(()), "true, false or a function that returns a usage object");
            }
            Form::FieldName => {
                let fits = matches!(value, Value::Text(text) if is_field_name(text));
                read.or_fault(fits.then_some(()), "a header name");
            }
            Form::OfTheCall => read.fault("type", "given to the call itself, not to the fetch or the policy"),
            Form::OfTargets => read.fault("type", "given where a fetch over targets is made, or to withFallback"),
        }
    }

    /// Sets the members of an option that is an object (of `class` too) or `true`, and says
    /// whether it is one.
    fn set_members(&mut self, read: &mut Reader<'_>, value: &Value, class: &str) -> bool {
        let Value::Record(members) = value else {
            let on = if let Value::Flag(on) = value { Some(*on) } else { None };
            return read.or_fault(on, &["true, false, an object of options or a ", class].concat()).unwrap_or(false);
        };
        for (name, value) in members {
            let name = [read.name, ".", name].concat();
            self.set(MEMBERS, &mut Reader { name: &name, faults: read.faults }, value);
        }
        true
    }

    fn set_redaction(&mut self, read: &mut Reader<'_>, value: &Value) {
        let Value::Record(members) = value else {
            return read.fault("type", "an object with headers, query or values");
        };
        for (name, value) in members {
            let list = match name.as_str() {
                "headers" => &mut self.redaction.headers,
                "query" => &mut self.redaction.query,
                "values" => &mut self.redaction.values,
                _ => {
                    read.fault("unknown_option", "redact has headers, query and values");
                    continue;
                }
            };
            if !matches!(value, Value::Undefined) {
                *list = read.texts(value, "an object with lists of texts").unwrap_or_default();
            }
        }
    }
}

fn assign<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

/// A given option's value.
#[inline(never)]
fn given<'v>(values: &'v [(String, Value)], wanted: &str) -> Option<&'v Value> {
    let found = values.iter().find(|(name, value)| name == wanted && !matches!(value, Value::Undefined));
    found.map(|(_, value)| value)
}

#[inline(never)]
fn meant(name: Option<&str>) -> String {
    name.map(|known| ["; did you mean ", known, "?"].concat()).unwrap_or_default()
}

fn is_text(value: &Value, wanted: &str) -> bool {
    matches!(value, Value::Text(text) if text == wanted)
}

/// What other libraries call an option of ours: ours, and theirs behind it, in lower case.
const ELSEWHERE: &str = "\
initialDelayMs basedelay basedelayms delay delayms mindelay mindelayms initialdelay retrydelay mintimeout startingdelay interval
maxDelayMs maxdelay maxtimeout maxbackoff backofflimit
maxRetries retry limit
maxAttempts attempts numofattempts tries
factor backoff backofffactor multiplier base
retryStatus retryon statuscodes retrystatuscodes
shouldRetry retryif retrycondition when
onRetry onfailedattempt onerror beforeretry
breaker circuitbreaker
budget retrybudget
signal abortsignal
random rng";

/// The option that other libraries call so.
fn elsewhere(name: &str) -> Option<&'static str> {
    let mut lines = ELSEWHERE;
    while let Some(mut names) = cut(&mut lines, b'\n') {
        let ours = cut(&mut names, b' ')?;
        while let Some(other) = cut(&mut names, b' ') {
            if other.eq_ignore_ascii_case(name) {
                return Some(ours);
            }
        }
    }
    None
}

/// Reads one value and records what is wrong with it.
struct Reader<'r> {
    name: &'r str,
    faults: &'r mut Vec<Fault>,
}

impl Reader<'_> {
    #[inline(never)]
    fn fault(&mut self, code: &'static str, allowed: &str) {
        self.faults.push(Fault::new(self.name, code, allowed));
    }

    fn or_fault<T>(&mut self, value: Option<T>, allowed: &str) -> Option<T> {
        if value.is_none() {
            self.fault("type", allowed);
        }
        value
    }

    fn unknown(&mut self, table: &[(&'static str, Slot)]) {
        // Of a member, only the part behind the option's name can be a slip.
        let option = split_once(self.name, b'.').map(|(option, _)| option);
        let own = |name: &'static str| option.map_or(Some(name), |option| member_of(option, name));
        let name = option.and_then(|option| member_of(option, self.name)).unwrap_or(self.name);
        let hint = elsewhere(self.name).or_else(|| nearest(name, table.iter().filter_map(|(name, _)| own(name))));
        self.fault("unknown_option", &["there is no such option", &meant(hint)].concat());
    }

    #[inline(never)]
    fn kinds(&mut self, value: &Value) -> Option<Vec<ErrorKind>> {
        let Value::List(items) = value else { return self.or_fault(None, "a list of kinds, or a function") };
        let mut kinds = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let name = if let Value::Text(name) = item { name } else { "" };
            let Some(kind) = ErrorKind::from_name(name) else {
                let hint = if name.is_empty() { String::new() } else { meant(ErrorKind::nearest_name(name)) };
                self.fault(
                    "choice",
                    &["a list of kinds, or a function; entry ", &decimal(i as u64 + 1), " is no kind", &hint].concat(),
                );
                return None;
            };
            kinds.push(kind);
        }
        Some(kinds)
    }

    fn flag(&mut self, value: &Value) -> Option<bool> {
        let flag = if let Value::Flag(flag) = value { Some(*flag) } else { None };
        self.or_fault(flag, "true or false")
    }

    fn function(&mut self, value: &Value) -> bool {
        self.or_fault(matches!(value, Value::Function).then_some(()), "a function").is_some()
    }

    fn number(&mut self, value: &Value) -> Option<f64> {
        let number = if let Value::Number(number) = value { Some(*number) } else { None };
        self.or_fault(number, "a number")
    }

    /// A whole number in `least..=most`, which a double holds exactly.
    #[inline(never)]
    fn whole(&mut self, value: &Value, least: u64, most: u64) -> Option<u64> {
        let number = if let Value::Number(number) = value { *number } else { f64::NAN };
        let whole = number as u64; // saturates; NaN becomes 0
        if whole as f64 == number && (least..=most).contains(&whole) {
            return Some(whole);
        }
        let code = if matches!(value, Value::Number(_)) { "range" } else { "type" };
        self.fault(code, &["a whole number from ", &decimal(least), " to ", &decimal(most)].concat());
        None
    }

    fn delay(&mut self, value: &Value) -> Option<DelayMs> {
        self.whole(value, 0, MAX_SAFE_MS).map(DelayMs::new)
    }

    fn text(&mut self, value: &Value, allowed: &str) -> Option<String> {
        let text = if let Value::Text(text) = value { Some(text.clone()) } else { None };
        self.or_fault(text, allowed)
    }

    #[inline(never)]
    fn texts(&mut self, value: &Value, allowed: &str) -> Option<Vec<String>> {
        let each = |item: &Value| if let Value::Text(text) = item { Some(text.clone()) } else { None };
        let texts = if let Value::List(items) = value { items.iter().map(each).collect() } else { None };
        self.or_fault(texts, allowed)
    }

    /// The place of the chosen word among `names`.
    fn choice(&mut self, value: &Value, names: &[&'static str]) -> Option<usize> {
        self.choice_or(value, names, "")
    }

    /// The same, where something else than a word is allowed, too.
    #[inline(never)]
    fn choice_or(&mut self, value: &Value, names: &[&'static str], other: &str) -> Option<usize> {
        let chosen = names.iter().position(|name| is_text(value, name));
        if chosen.is_none() {
            self.fault("choice", &["'", &names.join("' or '"), "'", other].concat());
        }
        chosen
    }

    fn jitter(&mut self, value: &Value) -> Option<Jitter> {
        if let Value::Record(members) = value {
            return match members.as_slice() {
                [(name, Value::Number(share))] if name == "additive" => Some(Jitter::Additive(*share)),
                _ => self.or_fault(None, "{additive: a number from 0 to 1}"),
            };
        }
        let chosen = self.choice_or(value, &JITTERS.map(|(name, _)| name), " or {additive: a number from 0 to 1}");
        chosen.and_then(|i| JITTERS.get(i)).map(|(_, jitter)| *jitter)
    }

    fn hint_sources(&mut self, value: &Value) -> Option<HintSources> {
        if is_text(value, "all") {
            return Some(HintSources::ALL);
        }
        let named = |item: &Value| HintSource::ALL.into_iter().find(|source| is_text(item, source.as_str()));
        let sources: Option<Vec<_>> =
            if let Value::List(items) = value { items.iter().map(named).collect() } else { None };
        if sources.is_none() {
            let names = HintSource::ALL.map(HintSource::as_str);
            self.fault("type", &["'all' or a list of ", &names.join(", ")].concat());
        }
        sources.map(|sources| HintSources::of(&sources))
    }

    #[inline(never)]
    fn statuses(&mut self, value: &Value) -> Option<Vec<u16>> {
        let status = |item: &Value| match item {
            Value::Number(n) if (100.0..600.0).contains(n) && f64::from(*n as u16) == *n => Some(*n as u16),
            _ => None,
        };
        let statuses = if let Value::List(items) = value { items.iter().map(status).collect() } else { None };
        self.or_fault(statuses, "a list of HTTP statuses from 100 to 599")
    }

    fn clock(&mut self, value: &Value) {
        let member = |wanted: &str| match value {
            Value::Record(members) => members.iter().find(|(name, _)| name == wanted).map(|(_, value)| value),
            _ => None,
        };
        let is_function = |value| matches!(value, Some(&Value::Function));
        let mono_fits = matches!(member("mono"), None | Some(Value::Undefined | Value::Function));
        if !is_function(member("now")) || !is_function(member("sleep")) || !mono_fits {
            self.fault("type", "an object with the functions now, sleep and, if you like, mono");
        }
    }
}

/// `token` of RFC 9110 section 5.6.2.
fn is_field_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
