# Makes a package of each event's schema with go-jsonschema, and models/models.go, which finds them by the ce_type.
set -eu
schemas=${SCHEMAS:-../../../published/schemas}
rm -rf models
mkdir models
imports=
types=
for file in "$schemas"/*.v1.json; do
  name=$(basename "$file" .json)
  package=$(printf %s "$name" | tr -d . | tr '[:upper:]' '[:lower:]')
  mkdir "models/$package"
  go tool go-jsonschema --schema-root-type "urn:livechat:schemas:$name=Record" --tags json \
    --package "$package" --output "models/$package/model.go" "$file"
  imports="$imports	\"subscribe/models/$package\"
"
  types="$types	\"livechat.$name\": func() any { return &$package.Record{} },
"
done
cat > models/models.go <<END
package models

import (
$imports)

// ByType makes the empty record of a ce_type.
var ByType = map[string]func() any{
$types}
END
gofmt -w models/models.go
