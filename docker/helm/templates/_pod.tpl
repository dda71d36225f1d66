{{- /* The labels of a role. Context: root (the chart's own), role. */}}
{{- define "bridge.labels" -}}
app.kubernetes.io/name: livechat-bridge
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- /* The name of a role's objects. */}}
{{- define "bridge.name" -}}
{{ .root.Release.Name }}-{{ .role }}
{{- end }}

{{- /* The template of a role's pods. ingress keeps its journal in /data, on a volume of its own; the others store no state. */}}
{{- define "bridge.pod" -}}
{{- $values := get .root.Values .role }}
{{- $secrets := .root.Values.secrets }}
{{- $isIngress := eq .role "ingress" }}
metadata:
  labels: {{- include "bridge.labels" . | nindent 4 }}
  annotations:
    prometheus.io/scrape: 'true'
    prometheus.io/port: '8081'
    prometheus.io/path: /metrics
    # Pods are replaced if a setting changes.
    livechat-bridge/settings: {{ include "bridge.settings" .root | sha256sum }}
spec:
  # No pod here uses the Kubernetes API.
  serviceAccountName: {{ .root.Release.Name }}
  automountServiceAccountToken: false
  # At most 10 s to finish what is in progress, for ingress 5 s of preStop before that, and the rest for a slow node.
  terminationGracePeriodSeconds: {{ ternary 45 30 $isIngress }}
  # The variables of Services that have a setting's name, such as http, say nothing to the bridge.
  enableServiceLinks: false
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- range $key := list "nodeSelector" "tolerations" "affinity" }}
  {{- with get $values $key }}
  {{ $key }}: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    {{- with .root.Values.user }}
    runAsUser: {{ . }}
    runAsGroup: {{ . }}
    fsGroup: {{ . }}
    fsGroupChangePolicy: OnRootMismatch
    {{- end }}
    seccompProfile: { type: RuntimeDefault }
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "bridge.labels" . | nindent 10 }}
  containers:
    - name: bridge
      image: {{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: [start, --role, {{ .role }}]
      envFrom: [{ configMapRef: { name: {{ .root.Release.Name }} } }]
      {{- if eq .role "archiver" }}
      env: [{ name: ARCHIVE_KEY_FILE, value: /run/secrets/livechat-archive/archive-keys }]
      {{- else if eq .role "console" }}
      env:
        - { name: CONSOLE_URL, value: {{ $values.url | quote }} }
        - { name: CONSOLE_OIDC_ISSUER, value: {{ $values.issuer | quote }} }
        - { name: CONSOLE_OIDC_CLIENT_ID, value: {{ $values.clientId | quote }} }
        - { name: CONSOLE_OIDC_CLIENT_SECRET_FILE, value: /run/secrets/livechat-console/console-client-secret }
        - { name: CONSOLE_SESSION_KEY_FILE, value: /run/secrets/livechat-console/console-session-key }
      {{- end }}
      ports:
        - { name: operators, containerPort: 8081 }
        {{- if $isIngress }}
        - { name: http, containerPort: 8080 }
        {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      # The process itself restarts a consumer that is not ready. The kubelet replaces only a process that does not answer.
      livenessProbe: { httpGet: { path: /livez, port: operators }, periodSeconds: 10, timeoutSeconds: 5 }
      readinessProbe: { httpGet: { path: /readyz, port: operators }, periodSeconds: 5, timeoutSeconds: 5 }
      # ingress reads a full journal before it accepts requests.
      startupProbe: { httpGet: { path: /livez, port: operators }, periodSeconds: 2, failureThreshold: {{ ternary 60 30 $isIngress }} }
      {{- if $isIngress }}
      # So load balancers learn that the pod ends before it closes its listener.
      lifecycle: { preStop: { sleep: { seconds: 5 } } }
      {{- end }}
      resources: {{- toYaml $values.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: secrets, mountPath: /run/secrets/livechat-bridge, readOnly: true }
        {{- if has .role (list "archiver" "console") }}
        - { name: own-secrets, mountPath: /run/secrets/livechat-{{ ternary "archive" "console" (eq .role "archiver") }}, readOnly: true }
        {{- end }}
  volumes:
    {{- if not $isIngress }}
    - name: data
      emptyDir: { sizeLimit: 16Mi }
    {{- end }}
    - name: secrets
      # 288 is 0440.
      secret: { secretName: {{ $secrets.bridge }}, defaultMode: 288 }
    {{- if has .role (list "archiver" "console") }}
    - name: own-secrets
      # A Secret that no other role has.
      secret: { secretName: {{ ternary $secrets.archive $secrets.console (eq .role "archiver") }}, defaultMode: 288 }
    {{- end }}
{{- end }}
