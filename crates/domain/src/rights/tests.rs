use super::*;
use crate::{
    caller::{ClientGrant, Mode},
    id::TeamId,
};

fn caller(credential: Credential, scopes: Scopes) -> Caller {
    Caller {
        credential,
        scopes,
        ..Caller::operator(TeamId::new(uuid::Uuid::nil()), Mode::Test)
    }
}

#[test]
fn scopes_are_written_and_read() {
    let some = Scopes::of(&[Scope::Read, Scope::Payments]).unwrap();
    assert_eq!(some.text(), "payments,read");
    assert_eq!(Scopes::parse("payments,read"), Some(some));
    assert_eq!(Scopes::parse(&Scopes::ALL.text()), Some(Scopes::ALL));
    assert_eq!(Scopes::of(Scope::ALL), Some(Scopes::ALL));
    for wrong in ["", "payments,", "everything", "payments read"] {
        assert_eq!(Scopes::parse(wrong), None, "{wrong}");
    }
    assert_eq!(Scopes::of(&[]), None);
}

#[test]
fn each_operation_is_in_the_table_once() {
    let mut names: Vec<&str> = OPERATIONS.iter().map(|operation| operation.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn a_secret_key_needs_the_operations_scope_and_no_other() {
    for operation in OPERATIONS {
        for scope in Scope::ALL.iter().copied() {
            let only = Scopes::of(&[scope]).unwrap();
            let judged = operation.permit(&caller(Credential::Secret, only));
            let is_enough = operation.scope.is_none_or(|needed| needed == scope);
            assert_eq!(judged.is_ok(), is_enough, "{} {scope}", operation.name);
            if let (Err(fault), Some(needed)) = (judged, operation.scope) {
                assert_eq!(fault.code, Code::Forbidden);
                assert!(fault.message.contains(needed.code()), "{}", fault.message);
            }
        }
        let all = caller(Credential::Secret, Scopes::ALL);
        assert!(operation.permit(&all).is_ok(), "{}", operation.name);
    }
}

#[test]
fn browsers_do_what_their_kind_may_whatever_the_scopes() {
    let client = caller(Credential::Client(ClientGrant::default()), Scopes::ALL);
    let public = caller(Credential::Public, Scopes::ALL);
    for operation in OPERATIONS {
        let (by_client, by_public) = (operation.permit(&client), operation.permit(&public));
        assert_eq!(by_client.is_ok(), operation.holders != Holders::SecretKeys);
        assert_eq!(by_public.is_ok(), operation.holders == Holders::All);
    }
    assert!(permit(&client, "authorizePayment").is_ok());
    assert!(permit(&public, "authorizePayment").is_err());
    assert!(permit(&client, "refundPayment").is_err());
}

#[test]
fn what_is_not_in_the_table_is_refused_to_everybody() {
    let server = caller(Credential::Secret, Scopes::ALL);
    assert_eq!(
        permit(&server, "noSuchOperation").unwrap_err().code,
        Code::Forbidden
    );
}
