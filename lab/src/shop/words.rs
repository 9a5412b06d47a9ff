//! The documents that clients send. Values are variables, so that documents are parsed once.

/// Selects what is shown of a payment, briefly.
macro_rules! brief {
    () => {
        "id status orderId connectionId currency flowInstanceId paymentProcessingOrigin capturedAmount refundedAmount \
         amount { rawAmount } refunds { id amount status }"
    };
}

/// Selects what is shown of a payment, with its timeline.
macro_rules! full {
    () => {
        concat!(brief!(), " paymentCore { outcome { declineCode } } paymentTimeline { overview { title message } }")
    };
}

pub(crate) const AUTHORISE: &str = concat!(
    "mutation($order: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $order) { ",
    full!(),
    " } }"
);
pub(crate) const CAPTURE: &str = concat!(
    "mutation($id: ID!, $amount: Long, $final: Boolean = true) { capturePayment(id: $id, amount: $amount, final: $final) { ",
    full!(),
    " } }"
);
pub(crate) const CANCEL: &str = concat!(
    "mutation($id: ID!) { cancelPayment(id: $id) { ",
    full!(),
    " } }"
);
pub(crate) const REFUND: &str = concat!(
    "mutation($id: ID!, $amount: Long) { refundPayment(id: $id, amount: $amount) { ",
    brief!(),
    " } }"
);
pub(crate) const ABANDON: &str = concat!(
    "mutation($id: ID!) { abandonPayment(id: $id) { ",
    full!(),
    " } }"
);
pub(crate) const RESOLVE: &str = concat!(
    "mutation($id: ID!, $outcome: ResolvedOutcome!, $evidence: String!) { ",
    "resolvePayment(id: $id, outcome: $outcome, evidence: $evidence) { ",
    full!(),
    " } }"
);
pub(crate) const GET: &str = concat!("query($id: ID!) { getPayment(id: $id) { ", full!(), " } }");
pub(crate) const LIST: &str = concat!(
    "query($after: String) { listPayments(first: 100, after: $after) { ",
    "pageInfo { hasNextPage endCursor } edges { node { ",
    full!(),
    " } } } }"
);
pub(crate) const FOLLOW: &str = "query($after: String, $start: DateTime, $end: DateTime) { \
    listPayments(first: 7, after: $after, startDate: $start, endDate: $end, data: { sort: [{ fieldName: \"date\", order: ASC }] }) { \
    pageInfo { hasNextPage endCursor settledUntil } edges { node { id } } } }";
pub(crate) const EVENTS: &str = "query($after: String, $first: Int) { listEvents(after: $after, first: $first) { \
    pageInfo { hasNextPage endCursor } edges { node { id kind sequence data } } } }";
pub(crate) const FIND: &str = concat!(
    "query($filter: PaymentFilterInput!) { listPayments(first: 20, data: $filter) { edges { node { ",
    brief!(),
    " } } } }"
);
pub(crate) const TOKENISE: &str =
    "mutation($data: TokenInput!) { tokenisePaymentMethod(data: $data) { token } }";
pub(crate) const DECIDE: &str =
    "mutation($id: ID!, $approve: Boolean!) { decideApproval(instanceId: $id, approve: $approve) }";
pub(crate) const START_INTENT: &str = "mutation($tracking: ID!, $flow: ID!, $amount: IntentAmountInput!) { \
     startIntent(trackingId: $tracking, paymentFlowId: $flow, amount: $amount) { id status } }";
pub(crate) const COMPLETE_INTENT: &str =
    "mutation($id: ID!) { completeIntent(id: $id) { id status } }";
pub(crate) const CLIENT_TOKEN: &str = "mutation($amount: Long, $currency: String) { \
     generateClientToken(amount: $amount, currency: $currency) { token } }";
pub(crate) const SAVE_ENDPOINT: &str = "mutation($id: ID, $url: String!, $kinds: [String!], $enabled: Boolean, $resume: WebhookResume) { \
    saveWebhookEndpoint(id: $id, url: $url, kinds: $kinds, enabled: $enabled, resume: $resume) { id enabled secret } }";
pub(crate) const ROTATE_SECRET: &str =
    "mutation($id: ID!) { rotateWebhookSecret(id: $id) { id secret } }";
pub(crate) const DELETE_ENDPOINT: &str = "mutation($id: ID!) { deleteWebhookEndpoint(id: $id) }";
pub(crate) const ENDPOINTS: &str = "query { listWebhookEndpoints { id url kinds enabled } }";
pub(crate) const DISPUTES: &str = "query($after: String) { listDisputes(first: 100, after: $after) { \
    pageInfo { hasNextPage endCursor } edges { node { id paymentId connectionId sourceDisputeId currency amount { rawAmount } \
    status reason lifecycleStage response { kind state } disputeTimeline { events { title message } } } } } }";
pub(crate) const EVIDENCE: &str = "mutation($id: ID!, $evidence: DisputeEvidenceInput!, $submit: Boolean) { \
    submitDisputeEvidence(id: $id, evidence: $evidence, submit: $submit) { id status lifecycleStage response { kind state } } }";
pub(crate) const ACCEPT: &str = "mutation($id: ID!) { acceptDispute(id: $id) { id status lifecycleStage response { kind state } } }";
pub(crate) const SAVE_CONNECTION: &str = "mutation($id: ID, $processor: String!, $name: String!, $settings: JSON!, $imports: ImportMode) { \
    saveConnection(id: $id, processor: $processor, name: $name, settings: $settings, imports: $imports) { id notificationUrl imports } }";
