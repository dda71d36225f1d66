"""Reads cases from stdin with the models in the given folder. Prints the schema of each case that a model refuses."""

import importlib
import json
import sys

from pydantic import ValidationError

sys.path.insert(0, sys.argv[1])
refused = []
for case in json.load(sys.stdin):
    schema = case["schema"]
    module = importlib.import_module("models." + schema.replace(".", "_"))
    model = getattr(module, schema.split(".")[0])
    try:
        model.model_validate_json(json.dumps(case["value"]))
    except ValidationError as error:
        refused.append(f"{schema}: {error}")
print(json.dumps(refused))
