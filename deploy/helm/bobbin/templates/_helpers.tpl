{{- define "bobbin.labels" -}}
app.kubernetes.io/name: bobbin
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "bobbin.name" -}}
{{ if contains "bobbin" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-bobbin" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}
{{- define "bobbin.secret" -}}
{{ default (include "bobbin.name" .) .Values.existingSecret }}
{{- end }}
