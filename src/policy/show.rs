//! Shows the options in force, in the form in which they are read.

use super::table::{Form, JITTERS, MEMBERS, OPTIONS, Slot, member_of};
use super::{Jitter, Policy, StatusRule, Value};
use crate::clock::DelayMs;
use crate::retry_after::{HintSource, HintSources};

impl Policy {
    /// The options in force by their names, in a form that can be read again. What is
    /// secret (`redact`) and what only a runtime knows is left out.
    pub fn resolved(&self) -> Vec<(&'static str, Value)> {
        let mut policy = self.clone();
        OPTIONS.iter().filter_map(|(name, slot)| Some((*name, policy.show(slot)?))).collect()
    }

    /// The members of an option that is an object.
    fn members(&mut self, option: &str) -> Value {
        let own =
            MEMBERS.iter().filter_map(|(name, slot)| Some((member_of(option, name)?.to_owned(), self.show(slot)?)));
        Value::Record(own.collect())
    }

    /// What the policy has in this place.
    fn show(&mut self, slot: &Slot) -> Option<Value> {
        let ms = |delay: DelayMs| Value::Number(delay.as_f64());
        Some(match slot {
            Slot::Flag(field) => Value::Flag(*field(self)),
            Slot::Delay(field) => ms(*field(self)),
            Slot::Limit(_, field) => ms(field(self).unwrap_or(DelayMs::ZERO)),
            Slot::Count(_, field) => Value::Number((*field(self)).into()),
            Slot::Number(field) => Value::Number(*field(self)),
            Slot::Choice(names, field) => text(names.get(field(self, None)).copied().unwrap_or_default()),
            Slot::Function(_) => return None,
            Slot::Special(form) => self.show_special(form)?,
        })
    }

    fn show_special(&mut self, form: &Form) -> Option<Value> {
        let numbers = |list: &[u16]| Value::List(list.iter().map(|n| Value::Number((*n).into())).collect());
        Some(match (form, &self.statuses) {
            (Form::Jitter, _) => match self.backoff.jitter {
                Jitter::Additive(share) => Value::Record(vec![("additive".to_owned(), Value::Number(share))]),
                jitter => text(JITTERS.iter().find(|(_, known)| *known == jitter)?.0),
            },
            (Form::HintSources, _) if self.hints.sources == HintSources::ALL => text("all"),
            (Form::HintSources, _) => {
                let some = HintSource::ALL.into_iter().filter(|source| self.hints.sources.contains(*source));
                Value::List(some.map(|source| text(source.as_str())).collect())
            }
            (Form::RetryStatus, StatusRule::Default) => text("default"),
            (Form::RetryStatus, StatusRule::Only(list)) => numbers(list),
            (Form::RetryStatus, StatusRule::ThrottledOrServer) => {
                numbers(&(400..600).filter(|status| self.statuses.retries(*status)).collect::<Vec<_>>())
            }
            (Form::NonRetryableStatus, StatusRule::AllBut(list)) => numbers(list),
            (Form::Methods, _) => match &self.methods {
                None => text("all"),
                Some(list) => Value::List(list.iter().map(|method| text(method)).collect()),
            },
            (Form::Breaker, _) if self.breaker.is_some() => self.members("breaker"),
            (Form::Budget, _) if self.budget.is_some() => self.members("budget"),
            (Form::Breaker | Form::Budget, _) => Value::Flag(false),
            (Form::FallbackOn, _) => {
                Value::List(self.fallback_on.as_ref()?.iter().map(|kind| text(kind.as_str())).collect())
            }
            (Form::Provider, _) => text(self.provider.as_deref()?),
            (Form::Expect, _) if self.expect_json => text("json"),
            _ => return None,
        })
    }
}

#[inline(never)]
fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
