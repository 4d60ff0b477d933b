package environment

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// tree returns files by their names and contents, which alternate.
func tree(pairs ...string) Files {
	files := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return FilesOf(files)
}

// described returns each service in one line.
func described(e *Environment) string {
	var lines []string
	for _, s := range e.Services {
		line := fmt.Sprintf("%s %s at %d, %s", s.Kind, s.Version, s.Port, s.From)
		if s.Kind != Redis {
			line += fmt.Sprintf(", %s:%s/%s", s.User, s.Password, s.Database)
		}
		if more := append(e.users[s.Kind], e.databases[s.Kind]...); len(more) > 0 {
			line += " and " + strings.Join(more, " ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

const workflow = ".github/workflows/test.yml"

// findCases are repositories by what is in them, with what Find makes of them.
var findCases = map[string]struct {
	files Files
	how   Config
	want  string
	env   []string // some of the variables
	notes []string
}{
	"nothing": {files: tree("go.mod", "module a\n")},
	"a workflow with a matrix, a published port and expressions": {
		files: tree(workflow, `
env: {PGPASSWORD: example}
jobs:
  lint: {steps: [{run: make lint}]}
  test:
    strategy: {matrix: {postgres: [16, 15], redis: ["7.2"]}}
    services:
      db:
        image: postgres:${{ matrix.postgres }}-alpine
        env: {POSTGRES_USER: app, POSTGRES_PASSWORD: example, POSTGRES_DB: app_test}
        ports: ["127.0.0.1:5433:5432"]
      cache: {image: "redis:${{matrix.redis}}", ports: [6379]}
    env:
      DATABASE_URL: postgresql://app:example@localhost:${{ job.services.db.ports[5432] }}/app_test?x=1
      REDIS_URL: redis://cache:6379/1
      DB_HOST: db
      SECRET_DB: ${{ secrets.DB }}
      UNRELATED: yes
    steps:
      - run: make test
        env: {OTHER_URL: "postgres://other@db/other"}
`),
		want: "postgres 16 at 5433, " + workflow +
			", app:example/app_test and app other app_test other\nredis 7.2 at 6379, " + workflow,
		env: []string{
			"DATABASE_URL=postgresql://app:example@127.0.0.1:5433/app_test?x=1",
			"REDIS_URL=redis://127.0.0.1:6379/1", "DB_HOST=127.0.0.1", "PGPASSWORD=example", "PGUSER=app",
			"PGPORT=5433", "OTHER_URL=postgres://other@127.0.0.1:5433/other",
		},
	},
	"GitLab": {
		files: tree(gitlabFile, `
variables: {POSTGRES_DB: shop, POSTGRES_USER: ann, POSTGRES_PASSWORD: example,
  DATABASE_URL: "postgres://$POSTGRES_USER:$POSTGRES_PASSWORD@postgres/$POSTGRES_DB"}
default:
  services: ["postgres:15.4", {name: "mysql:8.0", alias: db, variables: {MYSQL_ROOT_PASSWORD: example}}]
test: {script: [make test]}
`),
		want: "postgres 15.4 at 5432, .gitlab-ci.yml, ann:example/shop and ann shop\n" +
			"mysql 8.0 at 3306, .gitlab-ci.yml, root:example/test",
		env: []string{"DATABASE_URL=postgres://ann:example@127.0.0.1:5432/shop", "MYSQL_HOST=127.0.0.1"},
	},
	"a compose file: nothing of the host, no command": {
		files: tree("docker-compose.yml", `
services:
  db:
    image: "${DB_IMAGE:-postgis/postgis}:${DB_TAG:-14-3.4}"
    privileged: true
    command: ["sh", "-c", "touch /tmp/x; exec postgres"]
    environment: ["POSTGRES_PASSWORD=example", "POSTGRES_DB=maps"]
    volumes: ["/etc:/host", "data:/var/lib/postgresql/data"]
  search: {image: "elasticsearch:8"}
  web:
    build: .
    environment: {DATABASE_URL: "postgis://postgres:example@db/maps", KEY: "${KEY}"}
`),
		want: "postgres 14 at 5432, docker-compose.yml, postgres:example/maps and postgres maps",
		env:  []string{"DATABASE_URL=postgis://postgres:example@127.0.0.1:5432/maps"},
		notes: []string{
			"docker-compose.yml: db starts without what the file sets for it: privileged, command, " +
				"the host's folders",
			`docker-compose.yml names "elasticsearch", which is not started here: ` +
				`postgres, redis, mysql are`,
		},
	},
	"a compose file, and CI that tests without it": {
		files: tree("compose.yaml", "services: {db: {image: 'postgres:16'}}", workflow,
			"jobs: {test: {steps: [{run: go test ./...}]}}"),
		notes: []string{"compose.yaml names postgres, which CI tests without; " +
			"to start it for the tests, write services: {postgres: 16}"},
	},
	"a compose file that CI starts": {
		files: tree("compose.yaml", "services: {db: {image: 'postgres:16'}}", workflow,
			"jobs: {test: {steps: [{run: docker compose up -d}, {run: go test ./...}]}}"),
		want: "postgres 16 at 5432, compose.yaml, postgres:postgres/postgres",
	},
	"the configuration wins, with the account of the file": {
		files: tree("compose.yaml", "services: {r: {image: redis}, "+
			"db: {image: 'postgres:16', environment: {POSTGRES_DB: a}}}"),
		how:  Config{Services: map[string]string{Postgres: "17"}, Env: []string{"PGHOST=localhost"}},
		want: "postgres 17 at 5432, bobbin.yaml, postgres:postgres/a",
		env:  []string{"PGHOST=localhost"},
	},
	"off": {
		files: tree("compose.yaml", "services: {db: {image: postgres}}"),
		how:   Config{Off: true, Env: []string{"A=b"}},
		env:   []string{"A=b"},
	},
	"an example of .env, which something reads": {
		files: tree("package.json", `{"devDependencies": {"dotenv": "1"}}`, ".env.example",
			"# mine\nexport A='b c'\nEMPTY=\nPATH=/x\nLD_PRELOAD=/x\nPORT=3000 # free\n"),
		env: []string{"A=b c", "PORT=3000"},
	},
	"an example of .env, which nothing reads": {
		files: tree("package.json", "{}", ".env.example", "A=b\n"),
	},
	"an own .env": {
		files: tree("package.json", `{"dependencies": {"dotenv": "1"}}`, ".env.example", "A=b\n",
			".env", "A=c\n"),
	},
	"an address in Go's way, and one of libpq": {
		files: tree(workflow, `
jobs:
  test:
    services: {mysql: {image: mysql}, pg: {image: postgres}}
    env: {MYSQL_DSN: "ann:example@tcp(mysql:3306)/shop?x=1", DATABASE_DSN: "host=pg user=postgres"}
`),
		want: "postgres  at 5432, " + workflow + ", postgres:postgres/postgres\n" +
			"mysql  at 3306, " + workflow + ", root:/test and ann shop",
		env: []string{
			"MYSQL_DSN=ann:example@tcp(127.0.0.1:3306)/shop?x=1",
			"DATABASE_DSN=host=127.0.0.1 user=postgres",
		},
	},
}

func TestFind(t *testing.T) {
	t.Parallel()
	for name, c := range findCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Find(c.files, c.how)
			require.Equal(t, c.want, described(e))
			require.Subset(t, e.Env, c.env)
			require.Equal(t, c.notes, e.Notes)
			for _, kv := range e.Env {
				require.NotContains(t, kv, "secrets.")
				require.NotRegexp(t, `^(PATH|LD_PRELOAD|EMPTY)=`, kv)
			}
			if c.env == nil && c.want == "" {
				require.Empty(t, e.Env)
				require.Empty(t, e.Key())
			}
		})
	}
}

// TestHostileFiles checks that a bad file costs one line and nothing else, and that no name of a file reaches
// the script that could mean something to a shell.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	db := func(service string) string { return "services: {db: {" + service + "}}" }
	for name, c := range map[string]struct{ file, note string }{
		"anchors":    {bomb, "document contains excessive aliasing"},
		"no YAML":    {"services: [", "did not find expected node content"},
		"large":      {strings.Repeat("# much\n", 50_000), "it has more than 256 KiB"},
		"a text":     {"services", ""},
		"a list":     {"[services]", ""},
		"deep":       {"services: {a: 5, b: {image: [a]}, c: {image: 7}, db: [[[[]]]]}", `names "7"`},
		"a name":     {db(`image: postgres, environment: {POSTGRES_USER: "a'; drop"}`), "is not used"},
		"a command":  {db(`image: postgres, environment: {POSTGRES_DB: '$(touch /tmp/x)'}`), ""},
		"a password": {db(`image: mysql, environment: {MYSQL_ROOT_PASSWORD: "'; touch x"}`), "is not used"},
		"a port":     {db(`image: postgres, ports: ['1; touch x:5432', '22:5432']`), ""},
		"a version":  {db(`image: 'postgres:;touch x'`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Find(tree("compose.yaml", c.file), Config{})
			if c.note == "" {
				require.Empty(t, e.Notes)
			} else {
				require.Len(t, e.Notes, 1)
				require.Contains(t, e.Notes[0], c.note)
			}
			for _, kv := range append(e.settings(), e.Env...) {
				require.Regexp(t, `^[A-Za-z_]+=[A-Za-z0-9 ./:_@-]*$`, kv)
			}
		})
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	for image, want := range map[string]string{
		"postgres":           "postgres ",
		"postgres:16-alpine": "postgres 16",
		"docker.io/library/postgres:16.2@sha256:a": "postgres 16.2",
		"ghcr.io/acme/pgvector:pg17":               "postgres 17",
		"timescale/timescaledb:2.14.2-pg16":        "postgres 16",
		"bitnami/redis:7.2":                        "redis 7.2",
		"valkey/valkey:8":                          "redis 8",
		"mariadb:11":                               "mysql ",
		"localhost:5000/mysql:8":                   "mysql 8",
		"mongo:7":                                  " 7",
		"":                                         " ",
	} {
		kind, version, _ := readImage(image)
		require.Equal(t, want, kind+" "+version, image)
	}
}

func TestWhatIsInstalled(t *testing.T) {
	t.Parallel()
	for has, want := range map[string]string{
		"16.4": "", "16": "",
		"15.7": "The tests want postgres 16 (ci.yml); they run with 15.7.",
		"1.2":  "The tests want postgres 16 (ci.yml); they run with 1.2.",
		"": "The tests want postgres 16 (ci.yml), which is not installed where they run: `apt-get install " +
			"postgresql`, or an image that has it; or write `services: off` for the repository.",
	} {
		i := Installed{Service: Service{Kind: Postgres, Version: "16", From: "ci.yml"}, Has: has}
		require.Equal(t, want, i.Line(), has)
	}
}

// TestToolsOfARepository reads what files of several kinds want of tools, packages and variables.
func TestToolsOfARepository(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files    Files
		tools    []string // name, wanted version and file
		packages string
		env      []string
		notes    []string
	}{
		"CI with a matrix": {
			files: tree(workflow, `
env: {FORCE_COLOR: 1, TZ: Europe/Berlin, NPM_TOKEN: "${{ secrets.X }}", API_TOKEN: abc}
jobs:
  lint: {steps: [{uses: actions/setup-node@v4, with: {node-version: 18}}, {run: npm run lint}]}
  unit:
    strategy: {matrix: {python: ["3.11", "3.12", pypy3.10], include: [{python: "3.13"}]}}
    steps:
      - {uses: actions/setup-python@v5, with: {python-version: "${{ matrix.python }}"}}
      - {uses: actions/setup-node@v4, with: {node-version: "lts/*"}}
      - run: |
          sudo apt-get update
          sudo apt-get install -y --no-install-recommends libvips-dev jq
      - {run: pytest, env: {APP_ENV: test, PATH: /x}}
      - {run: ./deploy.sh, env: {STAGE: live}}
`),
			tools:    []string{"python 3.11 || 3.12 || 3.13 (" + workflow + ")"},
			packages: "libvips-dev jq",
			env:      []string{"APP_ENV=test", "TZ=Europe/Berlin"},
		},
		"GitLab": {
			files: tree(gitlabFile, `
image: ruby:3.3
variables: {RAILS_ENV: test, CI_DEBUG: 1, DEPLOY_KEY: $SECRET}
before_script: [apt-get install -y libpq-dev]
deploy: {script: [./deploy]}
rspec: {script: [bundle exec rspec]}
`),
			tools: []string{"ruby 3.3 (.gitlab-ci.yml)"}, packages: "libpq-dev",
			env: []string{"RAILS_ENV=test"},
		},
		"version files, a container and nix": {
			files: tree(".nvmrc", "22", "flake.nix", "{}", ".devcontainer.json", `{"image": "golang:1.24",
				"features": {"x/node:1": "20"}, "remoteEnv": {"A": "b"}, "privileged": true}`),
			tools: []string{"node 22 (.nvmrc)", "go 1.24 (.devcontainer.json)"},
			env:   []string{"A=b"},
			notes: []string{
				".devcontainer.json asks for a privileged container (privileged): not done",
				"flake.nix describes the tools for nix, which is not used: " +
					"commands use those that are installed",
			},
		},
		"a container that cannot be read": {
			files: tree(".devcontainer.json", "{"),
			notes: []string{".devcontainer.json: line 1, column 2: parsing value: unexpected EOF"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Find(c.files, Config{})
			var tools, packages []string
			for _, tool := range e.Tools {
				tools = append(tools, fmt.Sprintf("%s %s (%s)", tool.Name, tool.Wants, tool.From))
			}
			for _, p := range e.Packages {
				packages = append(packages, p.Name)
			}
			require.Equal(t, c.tools, tools)
			require.Equal(t, c.packages, strings.Join(packages, " "))
			require.ElementsMatch(t, c.env, e.Env)
			require.Equal(t, c.notes, e.Notes)
		})
	}
}

// Steps that test are found by their runners, also where no word says test.
func TestStepsThatTest(t *testing.T) {
	t.Parallel()
	for line, tests := range map[string]bool{
		"python -m unittest": true, "go test ./...": true, "mvn -B verify": true, "npx mocha": true,
		"prove -lr t": true, "bats .": true, "tests/runtests.py": true, "make check": true,
		"npm ci": false, "make latest": false, "go build ./...": false,
		"pip install -r requirements.txt": false,
	} {
		require.Equal(t, tests, runsTests.MatchString(line), line)
	}
}
