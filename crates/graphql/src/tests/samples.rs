//! Samples of everything that is shown, with as much filled in as can be.

mod reported;

use domain::{
    Timestamp,
    answer::{Answer, Approval},
    attachment::{Attachment, FileType, Subject},
    caller::ClientGrant,
    country::Country,
    customer::{Customer, Instrument, StoredMethod},
    event::{Event, EventKind},
    expiry::Expiry,
    id::{
        AttachmentId, BlobId, ConnectionId, CustomerId, FlowId, IntentId, KeyId, LinkId, MethodId,
        PaymentId, RefundId, TeamId, VaultToken,
    },
    intent::{self, CartItem, CartPatch, Changes, Intent, Start},
    method::{CardFunding, Method},
    money::{Currency, Money},
    payment::{
        FlowRun, Gateway, ImportMode, NewPayment, Operation, OperationKind, OperationState,
        PaidWith, Payer, Payment, Status,
    },
    payment_link::{LinkStatus, PaymentLink},
    person::{Address, Company, ShippingAddress},
    redirect::RedirectUrl,
    team::{ReturnHost, TeamSettings},
};
use engine::{
    AttachmentView, ClientTokenView, ConnectionView, FlowTrial, FlowView, PaymentLinkView,
    SdkConfiguration, TeamView, TrialStep, WalletAConfiguration,
};
use serde_json::json;

pub(crate) use reported::{
    delivery, dispute, endpoint, evidence, guarded_page, notification, page_violation,
    upload_address,
};

pub(crate) fn uuid<T>(parse: impl Fn(&str) -> Option<T>) -> T {
    parse("01929f6e-0000-7000-8000-000000000001").unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "most fields are optional")]
pub(crate) fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub(crate) fn at() -> Timestamp {
    Timestamp::parse("2026-01-31T09:30:00.25Z").unwrap()
}

pub(crate) fn sdk_configuration() -> SdkConfiguration {
    SdkConfiguration {
        mode: domain::caller::Mode::Test,
        shop_name: "The shop".to_owned(),
        shop_logo: text("https://shop.example/logo.svg"),
        money: Currency::parse("EUR").map(|currency| Money::new(5099, currency)),
        wallet_a: Some(WalletAConfiguration {
            gateway: "pointsman".to_owned(),
            gateway_merchant_id: "m-1".to_owned(),
        }),
        wallet_b: text("merchant.shop"),
        expires_at: Some(at()),
        card_ranges: true,
        hosted_fields: Some(engine::HostedFieldsView {
            connection: ConnectionId::parse("simulator-a").unwrap(),
            processor: "simulator".to_owned(),
            frame: "/sdk/v1/frame/fields?processor=simulator".to_owned(),
            parameters: json!({"account": "simulator-a.own"}),
            asks_for_name: true,
            authentication: engine::FieldsAuthentication::Redirect,
        }),
    }
}

pub(crate) fn payment_link() -> PaymentLinkView {
    let link = PaymentLink {
        id: uuid(LinkId::parse),
        team: uuid(TeamId::parse),
        version: 2,
        token: "t".to_owned(),
        created_at: at(),
        money: Money::new(5099, Currency::parse("EUR").unwrap()),
        flow: FlowId::parse("default").unwrap(),
        order_id: text("o-1"),
        description: text("Two boxes of tea"),
        intent: Some(uuid(IntentId::parse)),
        return_url: RedirectUrl::parse("https://shop.example", "url").ok(),
        expires_at: Some(at()),
        ended_at: Some(at()),
    };
    PaymentLinkView {
        url: "https://pay.example/pay/t".to_owned(),
        status: LinkStatus::Paid,
        payment: Some(uuid(PaymentId::parse)),
        payments: Some(vec![payment()]),
        link,
    }
}

pub(crate) fn team() -> TeamView {
    let settings = TeamSettings {
        version: 1,
        logo: text("https://shop.example/logo.svg"),
        allowed_origins: Some(vec!["https://shop.example".to_owned()]),
        return_hosts: ReturnHost::parse("*.shop.example").map(|host| vec![host]),
        return_schemes: vec!["com.shop.app".to_owned()],
        fingerprint: true,
    };
    TeamView {
        id: uuid(TeamId::parse),
        name: "The shop".to_owned(),
        settings: std::sync::Arc::new(settings),
    }
}

pub(crate) fn issued_token() -> ClientTokenView {
    ClientTokenView {
        id: uuid(KeyId::parse),
        hint: "ct_test_…abcd".to_owned(),
        created_at: at(),
        expires_at: Some(at()),
        revoked_at: Some(at()),
        grant: ClientGrant {
            amount: Some(1000),
            currency: text("EUR"),
            customer: Some(uuid(CustomerId::parse)),
            flow: FlowId::parse("default"),
            intent: Some(uuid(IntentId::parse)),
            ..ClientGrant::default()
        },
        attempts: 1,
        payment: Some(uuid(PaymentId::parse)),
        made_by: Some(uuid(KeyId::parse)),
    }
}

pub(crate) fn address() -> Address {
    Address {
        line1: text("1 Main St"),
        city: text("Cork"),
        country: text("IE"),
        ..Address::default()
    }
}

pub(crate) fn shipping() -> ShippingAddress {
    ShippingAddress {
        name: text("Ada"),
        phone: None,
        address: Some(address()),
    }
}

pub(crate) fn company() -> Company {
    Company {
        name: text("Engines"),
        ..Company::default()
    }
}

pub(crate) fn operation(
    n: u32,
    kind: OperationKind,
    amount: i64,
    answer: Option<Answer>,
) -> Operation {
    Operation {
        n,
        kind,
        connection: ConnectionId::parse("simulator-a").unwrap(),
        amount,
        keeps_open: false,
        reason: text("asked"),
        started_at: at(),
        send_by: at(),
        state: OperationState::Done { at: at() },
        undone: false,
        next_at: None,
        looks: 0,
        action: None,
        give_up_at: None,
        abandon_at: None,
        return_key: None,
        answer,
        processor_id: None,
        phase: None,
        owed: None,
        other: None,
        once: None,
    }
}

pub(crate) fn approval() -> Approval {
    Approval {
        processor_id: text("ch_1"),
        processor_status: Some("approved".into()),
        network_status: Some("approved_by_network".into()),
        risk_level: Some("normal".into()),
        risk_score_hundredths: Some(1250),
        funding: Some(CardFunding::Credit),
        issuing_bank: Some("Bank".into()),
        card_country: Some("IE".into()),
        receipt_url: text("https://receipts.example/1"),
        ..Approval::default()
    }
}

pub(crate) fn payment() -> Payment {
    let money = Money::new(5099, Currency::parse("EUR").unwrap());
    let asked = NewPayment {
        order_id: text("order-1"),
        customer: Some(Payer {
            id: Some(uuid(CustomerId::parse)),
            billing: Some(address()),
            shipping: Some(shipping()),
            company: Some(company()),
            ..Payer::default()
        }),
        description: text("Book"),
        statement_descriptor: text("BOOKS"),
        metadata: Some(json!({"a": 1})),
        fraud: Some(
            json!({"fraudProvider": "own", "score": 7, "date": "2026-01-31T09:30:00Z", "other": true}),
        ),
        ..NewPayment::of(uuid(TeamId::parse), money, paid_with())
    };
    let run = FlowRun {
        id: FlowId::parse("default").unwrap(),
        name: "Default".to_owned(),
        version: 1,
        instance: uuid(TeamId::parse).uuid(),
        started_at: at(),
        dispute: None,
        pause: None,
    };
    let mut payment = Payment::new(asked, uuid(PaymentId::parse), at(), Some(run));
    payment.go_through(Gateway {
        processor: "simulator".to_owned(),
        name: "Simulator A".to_owned(),
        logo: None,
    });
    let approved = Answer::Approved {
        captured: true,
        approval: approval(),
    };
    let refund = OperationKind::Refund {
        id: uuid(RefundId::parse),
        capture: None,
        first: None,
    };
    let operations = [
        operation(
            1,
            OperationKind::Authorise { capture: true },
            5099,
            Some(approved),
        ),
        operation(2, refund, 99, None),
    ];
    with(
        &payment,
        &json!({
            "version": 3,
            "status": Status::PartialRefunded,
            "captured": 5099,
            "operations": operations,
        }),
    )
}

/// The payment as its stored document would be with these members.
pub(crate) fn with(payment: &Payment, members: &serde_json::Value) -> Payment {
    let mut document = serde_json::to_value(payment).unwrap();
    let members = members.as_object().unwrap().clone();
    document.as_object_mut().unwrap().extend(members);
    serde_json::from_value(document).unwrap()
}

fn paid_with() -> PaidWith {
    PaidWith {
        method: Method::Visa,
        token: VaultToken::parse("abcdefgh12345678"),
        id: uuid(MethodId::parse),
        blob: Some(uuid(BlobId::parse)),
        hidden: false,
        masked: Some("************4242".to_owned()),
        bin: text("424242"),
        expiry: Some(Expiry::parse(11, 2033).unwrap()),
        brand: Some("VISA".to_owned()),
        account: None,
        wallet: None,
        holder: text("Ada"),
        address: Some(address()),
        fingerprint: Some("fp".to_owned()),
        funding: CardFunding::Undefined,
        card_country: text("FR"),
        fields_token: None,
        product: None,
        network: None,
        network_weight: None,
    }
}

pub(crate) fn customer() -> Customer {
    Customer {
        id: uuid(CustomerId::parse),
        team: uuid(TeamId::parse),
        version: 1,
        name: "Ada".to_owned(),
        email: text("ada@example.com"),
        phone: None,
        description: None,
        billing: Some(address()),
        shipping: Some(shipping()),
        company: Some(company()),
        default_method: VaultToken::parse("abcdefgh12345678"),
        created_at: at(),
        updated_at: at(),
        made_by: None,
    }
}

pub(crate) fn method() -> StoredMethod {
    StoredMethod {
        id: uuid(MethodId::parse),
        team: uuid(TeamId::parse),
        token: VaultToken::parse("abcdefgh12345678").unwrap(),
        customer: Some(uuid(CustomerId::parse)),
        blob: uuid(BlobId::parse),
        instrument: Instrument::Card {
            expiry: Expiry::parse(1, 2033).unwrap(),
            brand: "VISA".to_owned(),
            bin: "424242".to_owned(),
        },
        masked: "************4242".to_owned(),
        holder: text("Ada"),
        funding: CardFunding::Debit,
        card_country: None,
        product: None,
        fingerprint: "fp".to_owned(),
        external_id: text("mine"),
        metadata: Some(json!([1])),
        address: Some(address()),
        created_at: at(),
        updated_at: at(),
        is_default: true,
        network: None,
    }
}

pub(crate) fn intent() -> Intent {
    let start = Start {
        id: uuid(IntentId::parse),
        team: uuid(TeamId::parse),
        tracking_id: "order-1".to_owned(),
        currency: Currency::parse("EUR").unwrap(),
        flow: (FlowId::parse("default").unwrap(), 1),
        instance: uuid(TeamId::parse).uuid(),
        started_by: None,
    };
    let customer = intent::Customer {
        id: text("c-1"),
        is_guest: Some(false),
        email: text("ada@example.com"),
        name: text("Ada"),
    };
    let items = vec![CartItem {
        title: "Tea".to_owned(),
        price: 250,
        ..CartItem::default()
    }];
    let changes = Changes {
        amount: Some(5099),
        country: Country::parse("IE"),
        customer: Some(customer),
        cart: Some(CartPatch {
            items: Some(items),
            ..CartPatch::default()
        }),
        ..Changes::default()
    };
    Intent::start(start, changes, at(), std::time::Duration::from_mins(5))
}

pub(crate) fn flow() -> FlowView {
    FlowView {
        id: FlowId::parse("default").unwrap(),
        name: "Default".to_owned(),
        version: 2,
        is_published: false,
        published_version: Some(1),
        latest_version: 2,
        is_default: true,
        document: json!({ "name": "Default" }),
        saved_at: at(),
    }
}

pub(crate) fn trial() -> FlowTrial {
    let step = TrialStep {
        step: "steps[0]".to_owned(),
        taken: true,
        reason: text("the only connection"),
    };
    FlowTrial {
        steps: vec![step],
        outcome: "authorise at bank-a".to_owned(),
    }
}

pub(crate) fn connection() -> ConnectionView {
    ConnectionView {
        id: ConnectionId::parse("bank-a").unwrap(),
        processor: "bank".to_owned(),
        name: "Bank".to_owned(),
        is_enabled: true,
        methods: vec![Method::Card],
        settings: json!({}),
        notification_url: text("https://pay.example/notifications/t"),
        notification_set_up: Some("Enter it."),
        earlier_secret_until: Some(at()),
        imports: ImportMode::Quiet,
        test: Some(connection_test()),
    }
}

pub(crate) fn connection_test() -> engine::ConnectionTest {
    engine::ConnectionTest {
        outcome: engine::TestOutcome::Passed,
        facts: engine::AccountFacts {
            id: Some("acct_1".into()),
            name: Some("A shop".into()),
            country: Some("NL".into()),
            is_live: Some(false),
            capabilities: vec!["card_payments".into()],
            warnings: Vec::new(),
        },
        warnings: vec!["Cards need activation.".to_owned()],
    }
}

pub(crate) fn processor() -> engine::ProcessorView {
    const FIELDS: &[engine::CredentialField] = &[engine::CredentialField {
        name: "apiKey",
        is_required: true,
        is_secret: true,
        purpose: engine::CredentialPurpose::Calls,
        form: "sk_…",
        about: "the secret key",
    }];
    engine::ProcessorView {
        id: "bank",
        name: "Bank",
        methods: &[Method::Card],
        credentials: FIELDS,
        registers: true,
        is_testable: true,
        notification_set_up: None,
    }
}

pub(crate) fn event() -> Event {
    Event {
        id: "01929f6e-0000-7000-8000-000000000001:3:0".to_owned(),
        kind: EventKind::PaymentCaptured,
        at: at(),
        stream: "01929f6e-0000-7000-8000-000000000001".to_owned(),
        sequence: 3,
        data: serde_json::Map::new(),
        index: 0,
    }
}

pub(crate) fn attachment() -> AttachmentView {
    AttachmentView {
        attachment: Attachment {
            team: uuid(TeamId::parse),
            id: uuid(AttachmentId::parse),
            subject: Subject::Payment(uuid(PaymentId::parse)),
            name: "receipt.pdf".to_owned(),
            kind: FileType::Pdf,
            bytes: 1_024,
            sha256: "00".repeat(32),
            object_key: "a/b/c".to_owned(),
            made_by: uuid(KeyId::parse),
            created_at: at(),
            deleted_at: None,
        },
        access_url: "https://pay.example/attachments/x".to_owned(),
    }
}
