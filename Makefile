# `make demo` and `make test` install what they need on a fresh Debian or Ubuntu with a Swift toolchain.
# SWIFT selects another toolchain: make SWIFT=/path/to/swift

SWIFT ?= swift
PREFIX ?= /usr/local
export SWIFT

debug := .build/debug/b2c-run
release := .build/release/b2c-run
# The loader of glibc 2.36 and later reads packed relocations.
packed := $(shell printf 'glibc 2.36\n%s\n' "$$(getconf GNU_LIBC_VERSION)" | sort -VC && echo -Xlinker -z -Xlinker pack-relative-relocs)
# Reports imports of modules that the target does not declare. Such imports would build only with a lucky build order.
checked := --explicit-target-dependency-import-check error
sources := Package.swift Sources Tests
# Every b2c-run below .build finds the window here.
webview := .build/b2c-webview
address := --sanitize address --scratch-path .build/address
thread := --sanitize thread --scratch-path .build/thread

fuzz := .build/fuzz/release/fuzz
# libFuzzer without its main function.
fuzzer = $(wildcard $(dir $(shell command -v $(SWIFT)))../lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-$(shell uname -m).a)
# The packages, and what belongs to a release.
packages := .build/packages
repository := .build/repository
site := .build/site

.PHONY: help setup demo version build webview test test-clients test-conform check-scripts docs site drill cluster attack fuzz simulate faults soak bench \
  lint format sanitize install package test-packages image test-image repository reproducible clean

help:
	@echo 'make demo              build the debug program, then run examples/quickstart.lua against the local tenant'
	@echo 'make webview           build $(webview), the window of the agent "webview"; needs WebKitGTK'
	@echo 'make test              build and run the tests, including those of the window if it was built; DRILLS=1 adds drills'
	@echo 'make test-clients      test the local tenant with other OpenID Connect clients, and b2c-run with another provider'
	@echo 'make test-conform      try the checks of conform at honest and at faulty subjects'
	@echo 'make check-scripts     check the Lua scripts, also with lua-language-server if it is installed'
	@echo 'make docs              regenerate the API reference and build the documentation, .build/b2c-run.doccarchive'
	@echo 'make drill             kill imports of ROWS=… rows KILLS=… times, also into task services, and syncs'
	@echo 'make cluster           three machines with PostgreSQL, an import and jobs, with FAULTS=… faults'
	@echo 'make attack            run the attacks of Tests/Attacks, or those with NAME=… in their names'
	@echo 'make fuzz              give the readers of foreign bytes random inputs: TARGET=… SECONDS=…'
	@echo 'make simulate          run jobs in simulated time with faults of their doors: SECONDS=… SEED=…'
	@echo 'make faults            let each call to the files of a small run fail once: PART=… EVERY=… BESIDE=…'
	@echo 'make soak PART=…       run the program for long, and watch its memory: MINUTES=… COUNT=…'
	@echo 'make build             build the release binary, $(release)'
	@echo 'make bench             measure b2c-run and other programs, and print a table'
	@echo 'make site              write the documentation as web pages, $(site)/index.html'
	@echo 'make lint              check the format, the opening of files, the structure, and the sentences'
	@echo 'make format            format the sources'
	@echo 'make sanitize          run the memory and thread tests and the inputs of Tests/Fuzz under the sanitizers'
	@echo 'make install PREFIX=…  install the program, its documentation and completions below PREFIX (default /usr/local)'
	@echo 'make package           make the Debian packages, the tarball, the bill of materials and SHA256SUMS in $(packages)'
	@echo 'make test-packages     install, upgrade, run and remove the packages in a fresh Debian 12; needs root and apt'
	@echo 'make image             make the container image in $(packages); needs root and apt'
	@echo 'make test-image        use the container image, by podman or else by chroot'
	@echo 'make repository KEY=…  make an apt repository of the packages, signed, in $(repository)'
	@echo 'make reproducible      build the packages in two folders at two times, and compare the bytes'
	@echo 'make version           write the version of CHANGELOG.md to Version.swift'
	@echo 'make clean             remove all build products'

setup:
	@.ci/setup

# The debug program builds in less than half of the time of the release program, and `make test` builds upon it.
# If only the release program was built before, that is used.
ifeq ($(wildcard $(debug) $(release)),$(release))
demo: build
	@$(release) --local examples/quickstart.lua
else
demo: setup version
	$(SWIFT) build --product b2c-run $(checked)
	@$(debug) --local examples/quickstart.lua
endif

version:
	@packaging/version write

# The folder .build/static has the static library of C++ alone. The library's usual folder also has the shared one, which the
# linker would take, as it does if the static one is missing.
build: setup version
	@mkdir -p .build/static
	-@ln -sf "$$("$$(dirname "$$(command -v $(SWIFT))")/clang" -print-file-name=libstdc++.a)" .build/static/
	$(SWIFT) build -c release --static-swift-stdlib --disable-local-rpath $(packed) --product b2c-run

# The window is a separate C program, so that nothing else needs GTK.
webview:
	@.ci/setup webview
	@$(MAKE) --no-print-directory $(webview)

.build/webview/answer.js.inc: WebView/answer.js
	@mkdir -p $(@D)
	od -An -v -t x1 $< | sed 's/ \([0-9a-f]*\)/0x\1,/g' > $@

$(webview): $(wildcard WebView/*) .build/webview/answer.js.inc
	cc -std=gnu17 -O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE -pie -Wl,-z,relro,-z,now \
	  -Wall -Wextra -Werror -Wno-error=deprecated-declarations -I.build/webview \
	  $(shell pkg-config --cflags webkit2gtk-4.1 jansson) WebView/*.c -o $@ \
	  $(shell pkg-config --libs webkit2gtk-4.1 jansson)

test: setup version
	@.ci/setup test
	$(SWIFT) build --build-tests $(checked)
	@.ci/test-modules

# The clients are installed in their current versions, so they are not part of `make test`: a new release of a client
# must not break it.
test-clients: build
	@.ci/setup clients
	python3 -m venv .build/clients
	.build/clients/bin/pip install --quiet --requirement Tests/ThirdParty/requirements.txt
	.build/clients/bin/python -W ignore Tests/ThirdParty/clients.py $(release)
	.build/clients/bin/python -W ignore Tests/ThirdParty/provider.py $(release)
	.build/clients/bin/python Tests/ThirdParty/glewlwyd.py $(release)
	.build/clients/bin/python -W ignore Tests/ThirdParty/tokens.py $(release)
	.build/clients/bin/python -W ignore Tests/ThirdParty/idpy.py $(release)
	.build/clients/bin/python -W ignore Tests/ThirdParty/signout.py $(release)
	.build/clients/bin/python -W ignore Tests/ThirdParty/agents.py $(release)

# The checks of `conform`: honest subjects are not accused, faulty ones are found. The schema of SARIF is fetched. The clients
# and APIs are programs of Python; `Tests/Conform/measure.py PROGRAM libraries` judges clients with well-known libraries.
test-conform: setup
	@.ci/setup clients
	TESTS=ConformProvider,ConformClient,Conform $(SWIFT) build --build-tests $(checked)
	$(SWIFT) test --skip-build --disable-xctest --filter '^Conform(Provider|Client)?Tests[.]'
	python3 -m venv .build/conform
	.build/conform/bin/pip install --quiet --requirement Tests/Conform/requirements.txt
	.build/conform/bin/python Tests/Conform/measure.py $(debug)

# Debian has no package of lua-language-server, so it is used only if it is installed.
check-scripts: build
	$(release) check scripts examples
	@command -v lua-language-server >/dev/null || { echo 'check-scripts: without lua-language-server' >&2; exit 0; }; \
	folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && cp -R scripts examples "$$folder" && \
	$(release) --quiet stubs --output "$$folder/.stubs" && \
	printf '{ "runtime.version": "Lua 5.4", "workspace.library": ["%s/.stubs"] }\n' "$$folder" > "$$folder/.luarc.json" && \
	lua-language-server --check="$$folder" --checklevel=Warning --logpath="$$folder/.log"

# docc comes with the toolchain, in the same folder as swift. The pages link to each other by file, for web pages of
# repositories. docc gets a copy with its own form of links.
docs: setup
	UPDATE_REFERENCE=1 $(SWIFT) test --disable-xctest --filter '^LuaBindingsTests[.]ReferenceTests/'
	rm -rf .build/Documentation.docc && cp -R Sources/b2c-run/Documentation.docc .build/
	sed -i -E 's|\]\(([A-Za-z0-9-]+)\.md(#[^)]*)?\)|](doc:\1)|g' .build/Documentation.docc/*.md
	"$$(dirname "$$(command -v $(SWIFT))")/docc" convert .build/Documentation.docc --warnings-as-errors \
	  --fallback-display-name b2c-run --fallback-bundle-identifier b2c-run --output-path .build/b2c-run.doccarchive

site:
	@.ci/setup site
	@packaging/site/generate $(site)

# SEED makes a run repeatable: the same faults, and the same times at which the importer is killed. Plans have PLANNED rows, and fewer
# at servers of CalDAV, which take their time.
drill: ROWS = 3000
drill: KILLS = 50
drill: PLANNED = 10000
drill: build
	@for drill in "refresh.lua 100" "import.lua $(ROWS) $(KILLS) $(SEED)"; do \
	  folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && set -- $$drill && script=$$1 && shift && \
	  $(release) --local -A --store "$$folder" "Tests/Drill/$$script" "$$PWD/$(release)" "$$folder" "$$@" || exit; \
	  rm -rf "$$folder"; \
	done
	@export HOME=$$(mktemp -d) && trap 'rm -rf "$$HOME"' EXIT && \
	printf Wonderland-7 | $(release) --quiet secrets set caldav && \
	for service in "xandikos caldav 300" "todoist todoist 3000" "microsoft microsoft 1500" "github github 25"; do \
	  set -- $$service && printf stand-in-token | { [ $$2 = caldav ] || $(release) --quiet secrets set $$2; } && echo "$$1:" && \
	  python3 Tests/Services/with_server.py $$1 python3 Tests/Services/drill.py "$$PWD/$(release)" $$1 $$3 $(KILLS) || exit; \
	done; \
	for service in "xandikos 60" "todoist 100" "microsoft 100"; do \
	  set -- $$service && echo "sync with $$1:" && \
	  python3 Tests/Services/with_server.py $$1 python3 Tests/Services/sync_drill.py "$$PWD/$(release)" $$1 $$2 $(KILLS) || exit; \
	done; \
	echo "plan at the task API:" && python3 Tests/Services/plan_drill.py "$$PWD/$(release)" tasks $(PLANNED) $(KILLS) || exit; \
	for service in "radicale 30" "xandikos 10" "todoist 1" "microsoft 1"; do \
	  set -- $$service && echo "plan at $$1:" && python3 Tests/Services/with_server.py $$1 \
	    python3 Tests/Services/plan_drill.py "$$PWD/$(release)" $$1 $$(($(PLANNED) / $$2)) $(KILLS) || exit; \
	done

# Each target has its inputs in Tests/Fuzz/Corpus. New inputs are kept below .build/fuzz. An input that takes longer than a
# second is reported. Some readers read files, which are in memory. The compiler of Swift obeys only the last -sanitize.
fuzz: SECONDS = 60
fuzz: export SWIFT_BACKTRACE = enable=no
fuzz: export ASAN_OPTIONS = detect_leaks=0:quarantine_size_mb=8:allocator_may_return_null=1:malloc_context_size=1:max_malloc_fill_size=0
fuzz: setup
	FUZZ=1 $(SWIFT) build -c release --scratch-path .build/fuzz --sanitize address --sanitize fuzzer \
	  -Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing --product fuzz
	@mkdir -p .build/fuzz/found
	@for target in $(or $(TARGET),$(notdir $(wildcard Tests/Fuzz/Corpus/*))); do \
	  mkdir -p ".build/fuzz/corpus/$$target" && echo "$$target:" && \
	  TMPDIR=/dev/shm TARGET=$$target $(fuzz) ".build/fuzz/corpus/$$target" "Tests/Fuzz/Corpus/$$target" -artifact_prefix=.build/fuzz/found/$$target- \
	    -max_total_time=$(SECONDS) -timeout=10 -report_slow_units=1 -malloc_limit_mb=256 -rss_limit_mb=$$(test "$$target" = calls && echo 1024 || echo 256) \
	    -print_final_stats=1 2> .build/fuzz/$$target.log || { tail -40 .build/fuzz/$$target.log; exit 1; }; \
	  grep -E 'executed_units|slowest|peak_rss' .build/fuzz/$$target.log; \
	done

# One seed is one run: without SECONDS, SEED is run alone. The order of Swift's dictionaries is a part of a run.
simulate: SEED = 1
simulate: export SWIFT_DETERMINISTIC_HASHING = 1
simulate: setup
	SIMULATE=1 TESTS=None $(SWIFT) build --product simulate
	.build/debug/simulate --seed $(SEED) $(if $(SECONDS),--seconds $(SECONDS))

faults: EVERY = 1
faults: BESIDE = 8
faults: build
	@Tests/Faults/run --binary $(release) --every $(EVERY) --beside $(BESIDE) $(PART)

# serve runs for MINUTES. The other parts run until COUNT rows, days, lines or requests are done.
soak: MINUTES = 10
soak: COUNT = 0
soak: build
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	Tests/Soak/run --binary $(release) --folder "$$folder/soak" --minutes $(MINUTES) --count $(COUNT) \
	  $(or $(PART),serve days rows session tenant)

# Three machines, PostgreSQL with a standby, and FAULTS at random. SEED repeats the same faults.
cluster: ROWS = 20000
cluster: FAULTS = 40
cluster: build
	@.ci/setup test
	@for options in '--keys yes' '--keys no' '--pooler yes'; do \
	  python3 Tests/Cluster/cluster.py "$$PWD/$(release)" --rows $(ROWS) --faults $(FAULTS) $$options $(if $(SEED),--seed $(SEED)) || exit; \
	done

# Attacks on the program: scripts, jobs, requests, servers and files of an enemy. Each prints HELD or BROKEN.
attack: build
	@Tests/Attacks/run $(release) $(NAME)

bench: build
	@.ci/setup bench
	@bench/run

lint: setup
	@.ci/lint-files
	@.ci/lint-structure
	@.ci/lint-english --strict
	$(SWIFT) format lint --strict --parallel --configuration .swift-format -r $(sources)

format: setup
	$(SWIFT) format --in-place --parallel --configuration .swift-format -r $(sources)

# Each sanitizer needs its own build of these tests and of what they use, because it changes all code. Leak detection is off,
# because the test runner itself leaks and every run would fail. The Lua tests run in their own process, as in `test`, because
# they keep the one host thread busy. ThreadSanitizer runs only those Lua tests that receive signals from other threads: calls
# left by a Lua error stay on its shadow stack, which is too small for all tests.
sanitize: export ASAN_OPTIONS = detect_leaks=0
sanitize: export TESTS = HostLoop,HTTPClient,Lua
sanitize: setup
	$(SWIFT) build $(address) --product b2c-runPackageTests
	$(SWIFT) test --disable-xctest $(address) --skip-build --filter '^(HostLoopTests|HTTPClientTests)[.]'
	$(SWIFT) test --disable-xctest $(address) --skip-build --filter '^LuaTests[.]'
	FUZZ=corpus $(SWIFT) build $(address) --product fuzz -Xlinker $(fuzzer) -Xlinker -lstdc++
	@for folder in Tests/Fuzz/Corpus/*; do \
	  TMPDIR=/dev/shm TARGET=$${folder##*/} .build/address/debug/fuzz -timeout=60 -malloc_limit_mb=256 "$$folder"/* 2> .build/address/corpus.log || \
	    { tail -40 .build/address/corpus.log; exit 1; }; \
	done
	$(SWIFT) build $(thread) --product b2c-runPackageTests
	$(SWIFT) test --disable-xctest $(thread) --skip-build --filter '^(HostLoopTests|HTTPClientTests)[.]'
	$(SWIFT) test --disable-xctest $(thread) --skip-build --filter '^LuaTests[.]SignalTests/'

# The documentation pages link to each other by file. Links to other files of the project are changed to the installed
# files, and the folder of the program to the installed one.
# The installed program finds the installed scripts and pages, of which it makes manual pages and completions.
install: share = $(DESTDIR)$(PREFIX)/share
install: installed = '$(DESTDIR)$(PREFIX)/bin/b2c-run'
install: build
	install -D -m 755 $(release) $(installed)
	mkdir -p '$(share)/b2c-run' '$(share)/doc/b2c-run'
	cp -R scripts '$(share)/b2c-run/'
	cp -R examples LICENSE CHANGELOG.md packaging/debian/copyright Sources/b2c-run/Documentation.docc/*.md '$(share)/doc/b2c-run/'
	sed -i 's|](../../../scripts/|](../../b2c-run/scripts/|g; s|](../../../|](|g; s|/usr/local/bin/|$(PREFIX:/=)/bin/|g' '$(share)'/doc/b2c-run/*.md
	mkdir -p '$(DESTDIR)$(PREFIX)/lib/systemd/system'
	for unit in service socket; do sed 's|@PREFIX@|$(PREFIX)|' systemd/b2c-run.$$unit > '$(DESTDIR)$(PREFIX)/lib/systemd/system/b2c-run.'$$unit; done
	$(installed) --quiet man --output '$(share)/man'
	mkdir -p '$(share)/bash-completion/completions' '$(share)/zsh/site-functions' '$(share)/fish/vendor_completions.d'
	$(installed) completions bash > '$(share)/bash-completion/completions/b2c-run'
	$(installed) completions zsh > '$(share)/zsh/site-functions/_b2c-run'
	$(installed) completions fish > '$(share)/fish/vendor_completions.d/b2c-run.fish'
	[ ! -e $(webview) ] || install -D -m 755 $(webview) '$(DESTDIR)$(PREFIX)/libexec/b2c-run/b2c-webview'

package: build webview
	@.ci/setup package
	@packaging/package $(release) $(webview) $(packages)

test-packages: package
	@.ci/setup package-tests
	@packaging/test/run $(packages)

image: package
	@.ci/setup image
	@packaging/image/make $(packages)/b2c-run_*.deb $(packages)

test-image: image
	@packaging/image/test $(packages)/b2c-run-*-image-*.tar

# KEY names a key of GnuPG that signs the lists of the repository.
repository: package
	@.ci/setup package
	@packaging/repository $(packages) $(repository) $(KEY)

reproducible: setup
	@.ci/setup webview
	@.ci/setup package
	@packaging/reproducible

clean:
	rm -rf .build
