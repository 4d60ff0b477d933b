# Two commands matter: `go run ./cmd/bobbin demo` and `make test`.

# Use the same flags everywhere; otherwise Go compiles everything again. Nothing is compiled with debugging
# information: the tests are linked without it anyway, and linking then needs an eighth less processor time.
export GOFLAGS ?= -buildvcs=false -gcflags=all=-dwarf=false
# Without cgo, like the released binary: linking takes a third less time. The race detector needs cgo.
export CGO_ENABLED ?= 0
RACE := CGO_ENABLED=1
TOOL := go tool -modfile=.ci/tools/go.mod
# The tests are linked without debugging information, which halves the time of linking;
# go vet is part of make lint. Their temporary files are in memory if there is enough of it.
# One Postgres serves all packages. The timeout ends tests that hang: on a slow machine with other
# load the stories alone have taken 20 minutes.
GOTEST := .ci/in-memory go run ./.ci/postgres go test -vet=off -ldflags=-s
TESTFLAGS ?= -timeout 90m
# A test spends part of its time waiting, so run one more in parallel than there are cores. With
# twice as many, a slow machine is so busy that Postgres statements take ten seconds.
SIDE := $(shell expr $(shell getconf _NPROCESSORS_ONLN) + 1)
SIDE_BY_SIDE := -p $(SIDE) -parallel $(SIDE)
# Collect garbage less often: compiling and staticcheck then need a quarter less processor time, the tests
# a twentieth less, and up to 1.7 times the memory.
test test-all race-stories suite every lint: export GOGC ?= 400
test test-all race-stories suite every lint: export GOMEMLIMIT ?= 2GiB
test-all race-stories: export GORACE ?= atexit_sleep_ms=100
# Size of test-all: ci (a new machine with two cores finishes within its time limit) or whole.
SIZE ?= ci

.PHONY: help test test-all race-stories deps lint suite every deployment gvisor gitea demo pictures build archives fuzz figures figures-short bench chaos attacks replicas release

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

test: deps ## run a sample of every kind of test: Postgres, the sandbox, Slack's own clients, the stories
	$(GOTEST) $(SIDE_BY_SIDE) $(TESTFLAGS) ./.ci/rooms ./.ci/figures ./...

# The race detector makes a package slow, so only two run in parallel, and one with SIZE=whole. CI has 40
# minutes for lint, make test, this target and the demo: SIZE=ci runs the race detector on the packages that
# start goroutines of their own; CI runs race-stories while there is time. The packages are compiled in
# parallel first. A raced program waits a tenth of a second before it exits, instead of a second.
RACED := $(addprefix ./,bot/gateway bot/page bot/people bot/poster workflow/agent workflow/store \
	workflow/store/database workflow/store/queue workflow/turn) $(addprefix ./workflow/turn/internal/, \
	agents/inquiry agents/runtime background/backport background/lookback delivery record/budget \
	record/ledger tasks/worker workspace/attachment workspace/folder workspace/worktree)
STORIES := happy|stop|side_by_side_conflict|permission_held
test-all: deps ## run the race detector on the packages whose goroutines share most; SIZE=whole: on all packages, with every seed, fault, attack and large size (hours)
	$(RACE) go list -race -export -deps -test $(if $(filter whole,$(SIZE)),./...,$(RACED)) >/dev/null
	$(if $(filter whole,$(SIZE)),BOBBIN_SEQUENCES=400) $(RACE) $(GOTEST) -race -timeout 60m -p $(if $(filter whole,$(SIZE)),1,2) $(if $(filter whole,$(SIZE)),./...,$(RACED))
	$(if $(filter whole,$(SIZE)),$(MAKE) suite every)
	$(if $(filter whole,$(SIZE)),BOBBIN_RELEASED=1 $(GOTEST) $(TESTFLAGS) ./workflow/turn/internal/background/lookback -run ARealModule)
	$(if $(filter whole,$(SIZE)),BOBBIN_REPLICAS=small $(GOTEST) $(TESTFLAGS) ./cmd/bobbin/internal/faults/replicas)
	$(if $(filter whole,$(SIZE)),$(MAKE) chaos attacks)

deps: ## install what the tests use, or say what is missing
	@.ci/deps

lint: ## check formatting and limits of lines, functions and packages, run vet and staticcheck
	@bad=$$($(TOOL) gofumpt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "gofumpt would change:"; echo "$$bad"; exit 1; fi
	go vet ./... ./.ci/figures ./.ci/postgres ./.ci/rooms
	go vet -tags failpoints ./workflow/failpoint
	$(TOOL) staticcheck ./...
	go run ./.ci/rooms --limits

race-stories: deps ## run the race detector on four whole stories; SIZE=whole of test-all includes them
	$(RACE) $(GOTEST) -race -timeout 60m ./cmd/bobbin -run 'TestScript/($(STORIES))$$'

suite: deps ## check every task of the evaluation suite; make test checks the first of each language
	BOBBIN_SUITE=all $(GOTEST) $(TESTFLAGS) ./cmd/bobbin -run TestOurSuiteShowsSomething

every: deps ## run the tests of which make test takes a sample with every kill, fault, sequence and hostile input
	BOBBIN_EVERY=1 $(GOTEST) $(SIDE_BY_SIDE) $(TESTFLAGS) $$(git grep -l BOBBIN_EVERY -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,')

deployment: ## check the chart, the compose file and the Dockerfile with the libraries of helm, Kubernetes, Compose and BuildKit
	cd .ci/deploy && go test -vet=off -ldflags=-s $(TESTFLAGS) ./...

gvisor: ## run the sandbox's tests in gVisor, too; builds gVisor once (a minute, 80 MB)
	runsc=$$(.ci/gvisor/build) && BOBBIN_TEST_RUNSC=$$runsc go test ./repo/sandbox/... -count=1 $(TESTFLAGS)

gitea: ## test the Gitea API client against a real Gitea; builds it once (minutes), the test starts it
	gitea=$$(.ci/gitea/build) && BOBBIN_TEST_GITEA=$$gitea go test ./repo/host -run ARealGitea -count=1 -v $(TESTFLAGS)

demo: ## run the whole bug story on this machine
	go run ./cmd/bobbin demo

PICTURES ?= $(CURDIR)/build/pictures
pictures: deps ## make docs/pictures anew, also the moving one and the gallery of messages, and take screenshots of all pages in the tests: light, dark and on a phone (PICTURES=folder)
	mkdir -p $(PICTURES)
	BOBBIN_PICTURES=$(CURDIR)/docs/pictures BOBBIN_SCREENSHOTS=$(PICTURES) $(GOTEST) $(TESTFLAGS) -count=1 ./cmd/bobbin/internal/playground

# -buildvcs=false records no commit, so the linker sets it.
COMMIT = $(shell git describe --always --dirty --exclude='*' --abbrev=12 2>/dev/null)
build: ## build one static binary
	CGO_ENABLED=0 go build -trimpath -ldflags "-X main.commit=$(COMMIT) -X main.date=$(shell git log -1 --format=%cs 2>/dev/null)" -o bobbin ./cmd/bobbin

archives: ## build the archives of a release for Linux and macOS, with checksums, in build/archives
	.ci/archives

fuzz: ## run each fuzz target for ten seconds
	@for p in $$(go list ./...); do for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime 10s -fuzzminimizetime 5x $$p || exit 1; done; done

SEEDS ?= 1 2 3
SHARE ?= 100
CHAOS := $(GOTEST) ./cmd/bobbin/... -count=1 -v -timeout 90m -run

chaos: ## run all fault tests in full: kills, crash points, freezes, Postgres, Slack, models, remotes, clocks (SEEDS="1 2 3", SHARE in percent)
	BOBBIN_CHAOS="1 $(SHARE)" $(CHAOS) 'TestKilledAtEachPoint|TestFrozenAtEachPoint|TestPostgresFailsOver|FoundOutWithoutTheirGuards'
	BOBBIN_MODEL_FAULTS=all BOBBIN_GIT_FAULTS=all BOBBIN_CLOCKS=1 $(CHAOS) 'TestModelFaults|TestGitFaults|TestClocks'
	@for seed in $(SEEDS); do \
		BOBBIN_REDELIVERY=$$seed BOBBIN_WEATHER="$$seed 2000 50" $(CHAOS) 'TestEveryKindOfEvent|TestRedelivery|TestLinesKeepTheirOrder' || exit 1; \
		BOBBIN_CHAOS="$$seed $(SHARE)" $(CHAOS) 'TestKilledAnywhere|TestReplicasTakeOver' -parallel 1 || exit 1; \
	done
	BOBBIN_SOAK=201 $(CHAOS) TestASoak

REPLICAS ?= 1 2 3 4
replicas: ## run the same sessions on one to four replicas, each in its own network namespace, then disconnect some of them (root; ten minutes)
	BOBBIN_REPLICAS="$(REPLICAS)" go test -vet=off -ldflags=-s ./cmd/bobbin/internal/faults/replicas -count=1 -v -timeout 60m

attacks: ## run all attack tests in full: sequences, hostile repositories, races, sandboxes, bombs, bad inputs, injections
	BOBBIN_SEQUENCES=10000 $(GOTEST) ./workflow/... -count=1 -timeout 30m -run 'WithoutApproval|WhoMayApprove|AnybodyMayApprove|Clicks'
	BOBBIN_HOSTILE=all BOBBIN_RACE=1 $(GOTEST) ./workflow/... -count=1 -timeout 60m -run 'Hostile|PathRace'
	$(GOTEST) -count=1 -timeout 30m ./repo/...
	$(GOTEST) ./cmd/bobbin/... -count=1 -timeout 30m -run 'Injections|TestBadInputs|SecretsAre|Detector|OutsideData|BelowARoot|TestScript/budget'

release: ## record the state that a version leaves behind when it is killed, for the upgrade test (VERSION=0.3 COMMIT=v0.3)
	BOBBIN_RELEASE="$(VERSION) $(COMMIT)" $(GOTEST) ./cmd/bobbin/internal/faults/upgrades -run TestRecordRelease -count=1 -v -timeout 10m

figures: ## measure Bobbin and, if installed, git, ripgrep, Bolt and other agents, and write docs/engineering/performance.md
	.ci/in-memory go run ./.ci/figures

figures-short: ## measure what people wait for in Slack, once, and show it beside docs/engineering/performance.md
	.ci/in-memory go run ./.ci/figures -only acknowledge,request -n 1 -beside docs/engineering/performance.md

bench: ## run every benchmark once
	go test -run '^$$' -bench . -benchtime 1x ./...
