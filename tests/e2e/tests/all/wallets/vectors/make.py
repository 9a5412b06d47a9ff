#!/usr/bin/env python3
"""Makes vectors.json: tokens of both wallets that stay good until 2044, with the keys that open them.

The tokens are made by the script of the crate that opens them, which is written apart from it with Python's
`cryptography`; here only the time is another. Run it in this folder: `python3 make.py`.
"""

import datetime as dt
import importlib.util
import json
import pathlib

HERE = pathlib.Path(__file__).parent
MAKER = HERE / "../../../../../../crates/wallet/tests/vectors/make.py"

spec = importlib.util.spec_from_file_location("maker", MAKER.resolve())
maker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(maker)

maker.NOW = dt.datetime(2044, 1, 1, tzinfo=dt.timezone.utc)
maker.PLAN["messageExpiration"] = maker.millis(maker.NOW)
google, apple = maker.google(), maker.apple()
google["good"] = {name: google["good"][name] for name in ("cryptogram", "noMerchant", "panOnly")}
google["bad"] = {name: google["bad"][name] for name in ("forAnotherGateway", "otherMerchant", "brokenTag")}
apple["good"] = {name: apple["good"][name] for name in ("elliptic", "rsa")}
apple["transactionIdIsShared"] = True
apple["bad"] = {}
(HERE / "vectors.json").write_text(json.dumps({"google": google, "apple": apple}, indent=1) + "\n")
