package deploy

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/stretchr/testify/require"
	"github.com/yannh/kubeconform/pkg/validator"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"sigs.k8s.io/yaml"
)

const (
	chart = "../../deploy/helm/bobbin"
	// the Kubernetes release whose OpenAPI schemas the rendered files are validated against
	kubernetes = "1.33.3"
)

// settings holds example values of an operator, one entry for each variant of the chart, by name.
var settings = map[string]string{
	"as it comes": `
config: {repositories: [{name: shop, url: "https://github.com/acme/shop.git"}]}
existingSecret: bobbin-tokens
serviceMonitor: {enabled: true}
`,
	"a runtime class": `
config: {repositories: [{name: shop, url: "https://github.com/acme/shop.git"}]}
secrets: {SLACK_BOT_TOKEN: xoxb-1, SLACK_APP_TOKEN: xapp-1, DATABASE_URL: "postgres://bobbin@db/bobbin"}
env: {OPENAI_BASE_URL: "http://models:8000/v1"}
sandbox: {runtimeClassName: gvisor}
networkPolicy: {from: []}
imagePullSecrets: [{name: registry}]
storage: {className: fast}
nodeSelector: {disk: ssd}
tolerations: [{key: bots, operator: Exists}]
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: bots, operator: Exists}]}]}}}
podAnnotations: {team: tools}
`,
}

// TestChart checks that the chart passes helm's linter and that every rendered object fits the schema of its
// kind, in which unknown fields are errors.
func TestChart(t *testing.T) {
	t.Parallel()
	check := kubeconform(t)
	for name, text := range settings {
		values := map[string]any{}
		require.NoError(t, yaml.Unmarshal([]byte(text), &values))
		version := &chartutil.KubeVersion{Version: "v" + kubernetes, Major: "1", Minor: "33"}
		for _, m := range lint.AllWithKubeVersion(chart, values, "default", version).Messages {
			if !strings.Contains(m.Error(), "icon is recommended") {
				t.Errorf("%s: %v", name, m)
			}
		}
		kinds := map[string]string{}
		for file, rendered := range render(t, values) {
			for part := range strings.SplitSeq(rendered, "\n---\n") {
				var is struct{ Kind string }
				require.NoError(t, yaml.Unmarshal([]byte(part), &is), file)
				kinds[is.Kind] = part
				if is.Kind != "ServiceMonitor" {
					require.NoError(t, check(part), "%s: %s\n%s", name, file, part)
				}
			}
		}
		pods := kinds["StatefulSet"]
		for _, field := range []string{
			"replicas: 2", "runAsNonRoot: true", "readOnlyRootFilesystem: true",
			"allowPrivilegeEscalation: false",
		} {
			require.Contains(t, pods, field, name)
		}
		require.Contains(t, kinds, "PodDisruptionBudget")
		require.Contains(t, kinds, "NetworkPolicy")
		if name == "as it comes" {
			require.NotContains(t, kinds, "Secret", "the operator's own is used")
			require.Contains(t, pods, "name: bobbin-tokens")
			require.Contains(t, pods, "hostUsers: false")
			require.Contains(t, pods, "procMount: Unmasked")
			require.NoError(t,
				yaml.UnmarshalStrict([]byte(kinds["ServiceMonitor"]), &monitoring.ServiceMonitor{}))
			continue
		}
		require.Contains(t, kinds["Secret"], "xoxb-1")
		require.Contains(t, pods, "runtimeClassName: gvisor")
		require.NotContains(t, pods, "hostUsers", "such a runtime has a kernel of its own, and none of these")
		require.NotContains(t, pods, "procMount")
	}
	require.Error(t, check("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: x}\n"+
		"spec: {minAvailabel: 1}\n"), "control: a field that there is not")
	require.Error(t,
		check("apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {ports: [{port: http}]}\n"),
		"control: a wrong kind of value")
}

// TestChartSaysWhatIsMissing checks that missing values fail when the chart is rendered,
// not later in pods that exit.
func TestChartSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for want, values := range map[string]map[string]any{
		"config is empty: give bobbin.yaml with at least one repository": {},
		"secrets.SLACK_BOT_TOKEN is missing; or make a secret with it": {
			"config": map[string]any{"repositories": []any{}},
		},
	} {
		_, err := rendered(t, values)
		require.ErrorContains(t, err, want)
	}
}

func render(t *testing.T, values map[string]any) map[string]string {
	t.Helper()
	all, err := rendered(t, values)
	require.NoError(t, err)
	return all
}

// rendered returns the files that the chart renders with these values, by file
// name; empty files are left out.
func rendered(t *testing.T, values map[string]any) (map[string]string, error) {
	t.Helper()
	c, err := loader.Load(chart)
	require.NoError(t, err)
	given, err := chartutil.ToRenderValues(c, values, chartutil.ReleaseOptions{
		Name:      "try",
		Namespace: "default",
		Revision:  1,
	}, chartutil.DefaultCapabilities)
	require.NoError(t, err)
	all, err := engine.Render(c, given)
	maps.DeleteFunc(all, func(name, text string) bool {
		return !strings.HasSuffix(name, ".yaml") || strings.TrimSpace(text) == ""
	})
	return all, err
}

// kubeconform returns a function that validates a YAML text against the schemas in the Kubernetes Go module.
// kubeconform's default schemas would be downloaded from GitHub.
func kubeconform(t *testing.T) (check func(text string) error) {
	t.Helper()
	dir := t.TempDir()
	writeSchemas(t, dir, "StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy",
		"ConfigMap", "Secret")
	v, err := validator.New([]string{dir + "/{{.ResourceKind}}.json"}, validator.Opts{
		Strict:            true,
		KubernetesVersion: kubernetes,
	})
	require.NoError(t, err)
	return func(text string) error {
		for _, r := range v.Validate("rendered", io.NopCloser(strings.NewReader(text))) {
			if r.Status != validator.Valid {
				return fmt.Errorf("%w %v", r.Err, r.ValidationErrors)
			}
		}
		return nil
	}
}

// writeSchemas writes a JSON schema for each kind into dir. The schemas forbid unknown fields.
func writeSchemas(t *testing.T, dir string, kinds ...string) {
	t.Helper()
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json",
		"k8s.io/kubernetes@v"+kubernetes)
	download.Dir = t.TempDir() // outside of any module
	download.Env = append(os.Environ(), "GOFLAGS=")
	out, err := download.Output()
	require.NoError(t, err, string(out))
	var module struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &module))
	text, err := os.ReadFile(filepath.Join(module.Dir, "api/openapi-spec/swagger.json"))
	require.NoError(t, err)
	var description struct {
		Definitions map[string]map[string]any `json:"definitions"`
	}
	require.NoError(t, json.Unmarshal(text, &description))
	all := description.Definitions
	for name, of := range all {
		if of["properties"] != nil {
			of["additionalProperties"] = false
		}
		switch {
		case strings.HasSuffix(name, ".IntOrString"):
			all[name] = map[string]any{"type": []string{"integer", "string"}}
		case strings.HasSuffix(name, ".Quantity"):
			all[name] = map[string]any{"type": []string{"number", "string"}}
		}
	}
	for _, kind := range kinds {
		name := slices.Sorted(maps.Keys(all))[slices.IndexFunc(slices.Sorted(maps.Keys(all)),
			func(name string) bool {
				return strings.HasPrefix(name, "io.k8s.api.") && strings.HasSuffix(name, ".v1."+kind)
			})]
		schema, err := json.Marshal(map[string]any{"$ref": "#/definitions/" + name, "definitions": all})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, strings.ToLower(kind)+".json"), schema, 0o600))
	}
}
