-- Tokens of wallets that were used, by a keyed hash of their identity.
create table wallet_token (
    team_id text not null,
    token_hash text not null,
    payment_id text not null,
    forget_at bigint,
    primary key (team_id, token_hash)
);

create index wallet_token_forget on wallet_token (forget_at) where forget_at is not null;

-- A team's own keys and identifiers at a wallet: where they stand sealed in the vault.
create table wallet_setting (
    team_id text not null,
    wallet text not null,
    secret_id text not null,
    saved_at bigint not null,
    primary key (team_id, wallet)
);

-- The merchants of wallet A's console that a team has registered.
create table wallet_merchant (
    team_id text not null,
    merchant_id text not null,
    created_at bigint not null,
    primary key (team_id, merchant_id)
);
