"""Reads records from stdin with the generated models, and prints what the models write; an error is printed as text."""

import importlib
import json
import re
import sys

from pydantic import ValidationError

sys.path.insert(0, sys.argv[1])
written = []
for each in json.load(sys.stdin):
    name = each["name"]
    module = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    model = getattr(importlib.import_module("asyncapimodels." + module), name)
    try:
        read = model.model_validate(each["value"])
        written.append(json.loads(read.model_dump_json(by_alias=True, exclude_none=True)))
    except ValidationError as error:
        written.append(str(error))
print(json.dumps(written))
