# `make demo` and `make test` set up what they need on a fresh Debian or Ubuntu with a Swift toolchain.
# SWIFT names another toolchain: make SWIFT=/path/to/swift

SWIFT ?= swift
PREFIX ?= /usr/local
export SWIFT

release := .build/release/b2c-run
# An import of a module that the target does not declare would build only by luck of the order.
checked := --explicit-target-dependency-import-check error
sources := Package.swift Sources Tests
# Where every b2c-run below .build finds it.
webview := .build/b2c-webview
address := --sanitize address --scratch-path .build/address
thread := --sanitize thread --scratch-path .build/thread

.PHONY: help setup demo build webview test test-clients check-scripts docs drill bench lint format sanitize install clean

help:
	@echo 'make demo              build, then run examples/quickstart.lua against the local tenant'
	@echo 'make webview           build the window of the agent "webview", $(webview); it needs WebKitGTK'
	@echo 'make test              build and run the tests; those of the window, where it was built'
	@echo 'make test-clients      let other OpenID Connect clients sign in at the local tenant, and sign in at another provider'
	@echo 'make check-scripts     look for mistakes in the Lua of the project, with the language server too if it is there'
	@echo 'make docs              write the reference of the API anew, and build the documentation, .build/b2c-run.doccarchive'
	@echo 'make drill             kill an import ROWS=… long KILLS=… times, let processes race for a refresh, and count'
	@echo 'make build             build the release binary, $(release)'
	@echo 'make bench             measure, beside other programs, and print a table'
	@echo 'make lint              check the style of the sources, that only Files opens paths, and count sentences that are hard to read'
	@echo 'make format            put the sources into that style'
	@echo 'make sanitize          run the tests of memory and threads under the sanitizers'
	@echo 'make install PREFIX=…  install the program, its documentation and completions below PREFIX (default /usr/local)'
	@echo 'make clean             remove what was built'

setup:
	@.ci/setup

demo: build
	@$(release) --local examples/quickstart.lua

build: setup
	$(SWIFT) build -c release --static-swift-stdlib --product b2c-run

# A program of its own, in C, so that nothing else needs GTK.
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

# The tests of each module run in a process of their own: they count connections and measure the one host thread, which
# the tests of another module would disturb.
test: setup
	@.ci/setup test
	$(SWIFT) build --build-tests $(checked)
	@failed=; for module in $(notdir $(wildcard Tests/*Tests)); do \
	  $(SWIFT) test --skip-build --disable-xctest --filter "^$$module[.]" || failed="$$failed $$module"; \
	done; \
	if [ -n "$$failed" ]; then echo "failed:$$failed" >&2; exit 1; fi

# The clients are what their packages are today: no release of one of them is to break `make test`.
test-clients: build
	@.ci/setup bench
	python3 -m venv .build/clients
	.build/clients/bin/pip install --quiet --requirement Tests/ThirdParty/requirements.txt
	.build/clients/bin/python -W ignore Tests/ThirdParty/clients.py $(release)
	.build/clients/bin/python -W ignore Tests/ThirdParty/provider.py $(release)

# lua-language-server is in no release of Debian: it is asked where somebody has installed it.
check-scripts: build
	$(release) check scripts examples
	@command -v lua-language-server >/dev/null || { echo 'check-scripts: without lua-language-server' >&2; exit 0; }; \
	folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && cp -R scripts examples "$$folder" && \
	$(release) --quiet stubs --output "$$folder/.stubs" && \
	printf '{ "runtime.version": "Lua 5.4", "workspace.library": ["%s/.stubs"] }\n' "$$folder" > "$$folder/.luarc.json" && \
	lua-language-server --check="$$folder" --checklevel=Warning --logpath="$$folder/.log"

# docc comes with the toolchain, beside swift. The pages link to each other by file, as web pages of repositories do; docc
# gets a copy whose links are its own.
docs: setup
	UPDATE_REFERENCE=1 $(SWIFT) test --disable-xctest --filter '^LuaBindingsTests[.]ReferenceTests/'
	rm -rf .build/Documentation.docc && cp -R Sources/b2c-run/Documentation.docc .build/
	sed -i -E 's|\]\(([A-Za-z0-9-]+)\.md(#[^)]*)?\)|](doc:\1)|g' .build/Documentation.docc/*.md
	"$$(dirname "$$(command -v $(SWIFT))")/docc" convert .build/Documentation.docc --warnings-as-errors \
	  --fallback-display-name b2c-run --fallback-bundle-identifier b2c-run --output-path .build/b2c-run.doccarchive

# SEED repeats the choices of a run: what goes wrong, and when the importer is killed.
drill: ROWS = 3000
drill: KILLS = 50
drill: build
	@for drill in "refresh.lua 100" "import.lua $(ROWS) $(KILLS) $(SEED)"; do \
	  folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && set -- $$drill && script=$$1 && shift && \
	  $(release) --local -A --store "$$folder" "Tests/Drill/$$script" "$$PWD/$(release)" "$$folder" "$$@" || exit; \
	  rm -rf "$$folder"; \
	done

bench: build
	@.ci/setup bench
	@bench/run

lint: setup
	@.ci/lint-files
	@.ci/lint-english
	$(SWIFT) format lint --strict --parallel --configuration .swift-format -r $(sources)

format: setup
	$(SWIFT) format --in-place --parallel --configuration .swift-format -r $(sources)

# Each sanitizer changes the code of everything, so each has its own build. Leaks are not looked for: the test runner has
# its own, which would fail every run. The tests of Lua have a process of their own, as in `test`, for they keep the one
# thread of the host busy. Of them, ThreadSanitizer sees those that other threads' signals reach: the calls that an error of
# Lua leaves stay on its shadow stack, which is too small for all.
sanitize: export ASAN_OPTIONS = detect_leaks=0
sanitize: setup
	$(SWIFT) test --disable-xctest $(address) --filter '^(HostLoopTests|HTTPClientTests)[.]'
	$(SWIFT) test --disable-xctest $(address) --skip-build --filter '^LuaTests[.]'
	$(SWIFT) test --disable-xctest $(thread) --filter '^(HostLoopTests|HTTPClientTests)[.]'
	$(SWIFT) test --disable-xctest $(thread) --skip-build --filter '^LuaTests[.]SignalTests/'

# The pages of the documentation link to each other by file. Links to other files of the project lead to the installed ones.
install: share = $(DESTDIR)$(PREFIX)/share
install: build
	install -D -m 755 $(release) '$(DESTDIR)$(PREFIX)/bin/b2c-run'
	mkdir -p '$(share)/b2c-run' '$(share)/doc/b2c-run'
	cp -R scripts '$(share)/b2c-run/'
	cp -R examples LICENSE CHANGELOG.md Sources/b2c-run/Documentation.docc/*.md '$(share)/doc/b2c-run/'
	sed -i 's|](../../../scripts/|](../../b2c-run/scripts/|g; s|](../../../|](|g' '$(share)'/doc/b2c-run/*.md
	$(release) --quiet man --output '$(share)/man/man1'
	mkdir -p '$(share)/bash-completion/completions' '$(share)/zsh/site-functions' '$(share)/fish/vendor_completions.d'
	$(release) completions bash > '$(share)/bash-completion/completions/b2c-run'
	$(release) completions zsh > '$(share)/zsh/site-functions/_b2c-run'
	$(release) completions fish > '$(share)/fish/vendor_completions.d/b2c-run.fish'
	[ ! -e $(webview) ] || install -D -m 755 $(webview) '$(DESTDIR)$(PREFIX)/libexec/b2c-run/b2c-webview'

clean:
	rm -rf .build
