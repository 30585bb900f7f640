# SPDX-License-Identifier: Apache-2.0
# One make, no recursion into folders: each folder's module.mk only names its
# sources, what it links and which folders it stands on (see scripts/layers.awk).
#
# Settings: V=1 shows commands; SAN=address,undefined builds under sanitizers;
# WITH_OPENSSL= or WITH_WOLFSSL= leaves an engine out, WITH_GSL=, WITH_IIO=, WITH_PCAP=,
# WITH_MICROHTTPD=, WITH_BROTLI=, WITH_ZSTD=, WITH_XMLSEC= and WITH_CBOR= those libraries;
# OPENSSL_PREFIX=DIR and WOLFSSL_PREFIX=DIR build against another copy; CONFIG=NAME
# keeps a build apart in build/NAME; WERROR= lets warnings pass.

MODULES := lib ciphers protocols power capture solar results workloads servers clients testbed
VERSION := 0.1.0

SAN ?=
comma := ,
CONFIG ?= $(if $(SAN),$(subst $(comma),-,$(SAN)),plain)
B := build/$(CONFIG)
Q := $(if $(V),,@)
WERROR ?= $(wildcard .git)

# --- libraries -----------------------------------------------------------
ifneq ($(OPENSSL_PREFIX)$(WOLFSSL_PREFIX),)
export PKG_CONFIG_PATH := $(foreach p,$(OPENSSL_PREFIX) $(WOLFSSL_PREFIX),$(p)/lib/pkgconfig:$(p)/lib64/pkgconfig:)$(PKG_CONFIG_PATH)
RPATHS := $(foreach p,$(OPENSSL_PREFIX) $(WOLFSSL_PREFIX),-Wl$(comma)-rpath$(comma)$(p)/lib:$(p)/lib64)
endif
has = $(shell pkg-config --exists $(1) && echo 1)
WITH_OPENSSL ?= $(call has,openssl)
WITH_WOLFSSL ?= $(call has,wolfssl)
WITH_GSL ?= $(call has,gsl)
WITH_IIO ?= $(call has,libiio)
# Without libpcap files are read all the same; --live refuses.
WITH_PCAP ?= $(call has,libpcap)
# Without libmicrohttpd there is no live page: `watch` refuses.
WITH_MICROHTTPD ?= $(call has,libmicrohttpd)
WITH_BROTLI ?= $(call has,libbrotlienc)
WITH_ZSTD ?= $(call has,libzstd)
# Secured messages; both do their cryptography with OpenSSL.
WITH_XMLSEC ?= $(if $(WITH_OPENSSL),$(call has,xmlsec1-openssl))
WITH_CBOR ?= $(if $(WITH_OPENSSL),$(call has,libcbor))

# Package name -> compiler and linker words. libev and libi2c have no .pc file.
# OpenSSL always comes before wolfSSL: see docs/design.md, "two TLS libraries".
pkg_cflags = $(shell pkg-config --cflags $(filter-out ev i2c m pthread,$(1)) 2>/dev/null)
pkg_libs = $(if $(filter-out ev i2c m pthread wolfssl,$(1)),$(shell pkg-config --libs \
	$(filter-out ev i2c m pthread wolfssl,$(1)) 2>/dev/null)) \
	$(if $(filter wolfssl,$(1)),$(shell pkg-config --libs wolfssl 2>/dev/null)) \
	$(patsubst %,-l%,$(filter ev i2c m pthread,$(1)))

# --- flags ---------------------------------------------------------------
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wformat=2 -Wvla -Wundef -Wold-style-definition $(if $(WERROR),-Werror)
HARDEN := -fno-common -fstack-protector-strong $(if $(SAN),-fno-omit-frame-pointer,-D_FORTIFY_SOURCE=2)
ALL_CFLAGS = -std=gnu17 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. $(WARN) $(HARDEN) $(CFLAGS) \
	$(SAN:%=-fsanitize=%) $(if $(SAN),-fno-sanitize-recover=all) \
	$(foreach l,OPENSSL WOLFSSL GSL BROTLI ZSTD IIO XMLSEC CBOR,$(if $(WITH_$(l)),-DWITH_$(l)))
ALL_LDFLAGS = -Wl,-z,relro,-z,now -Wl,--as-needed $(RPATHS) $(LDFLAGS)

.DEFAULT_GOAL := all
include $(MODULES:%=%/module.mk)

# --- objects -------------------------------------------------------------
objects = $($(1)_SRC:%=$(B)/$(1)/%.o)
fixtures = $($(1)_FIXTURE:%=$(B)/$(1)/%.o)
archive = $(1:%=$(B)/%.a)
below = $(foreach m,$(1),$(m) $($(m)_NEEDS))
packages = $(sort $(foreach m,$(sort $(call below,$(1))),$($(m)_PKG)))
TESTS := $(foreach m,$(MODULES),$($(m)_TEST:%=$(B)/$(m)/%))
SOURCES := $(wildcard $(MODULES:%=%/*.c))
HEADERS := $(wildcard $(MODULES:%=%/*.h))

all: build/cipherwatt ## build the program (the default)

build/cipherwatt: $(B)/cipherwatt
	$(Q)ln -sf $(<:build/%=%) $@

$(B)/cipherwatt: $(B)/testbed/main.o $(call archive,$(MODULES))
	@echo "  LINK $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) \
		-Wl,--end-group $(call pkg_libs,$(call packages,$(MODULES))) -o $@

# One rule set per folder: its archive, its objects' packages, its tests. X_FIXTURE
# names sources that every test of the folder links and the program never does.
define module_rules
$(B)/$(1).a: $(call objects,$(1))
	$$(Q)mkdir -p $$(@D) && rm -f $$@ && $$(AR) rcs $$@ $$^
$(call objects,$(1)) $(call fixtures,$(1)) $($(1)_TEST:%=$(B)/$(1)/%.o): PKG_CFLAGS := $(call pkg_cflags,$($(1)_PKG) $($(1)_TEST_PKG))
$($(1)_TEST:%=$(B)/$(1)/%): $(B)/$(1)/%: $(B)/$(1)/%.o $(call fixtures,$(1)) $(call archive,$(sort $(call below,$(1))))
	@echo "  LINK $$@"
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) $$(filter %.o,$$^) -Wl,--start-group $$(filter %.a,$$^) \
		-Wl,--end-group $(call pkg_libs,$(sort $(call packages,$(1)) $($(1)_TEST_PKG) cmocka)) -o $$@
endef
$(foreach m,$(MODULES),$(eval $(call module_rules,$(m))))

$(B)/%.o: %.c $(B)/flags
	@echo "  CC   $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) $(OBJ_CFLAGS) -MMD -MP -c $< -o $@

# Changes only when the flags do, so that a new setting rebuilds what it must.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS)' > $@

GIT_VERSION := $(shell git describe --always --dirty --abbrev=12 2>/dev/null)
$(B)/lib/version.o: OBJ_CFLAGS = -DCIPHERWATT_VERSION='"$(VERSION)$(GIT_VERSION:%=+%)"'
$(B)/lib/version.o: $(B)/version
$(B)/version: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION) $(GIT_VERSION)' | cmp -s - $@ || echo '$(VERSION) $(GIT_VERSION)' > $@

# The tool of scripts/bench-tls and bench-coap: a program of its own, in no archive.
$(B)/testbed/bench_tls: $(B)/testbed/bench_tls.o $(B)/testbed/bench_records.o $(call archive,ciphers lib)
	@echo "  LINK $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) \
		-Wl,--end-group $(call pkg_libs,$(call packages,ciphers)) -o $@

# A tool of bench-coap: a program of its own, in no archive.
$(B)/workloads/bench_access: $(B)/workloads/bench_access.o $(call archive,workloads ciphers protocols lib)
	@echo "  LINK $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) \
		-Wl,--end-group $(call pkg_libs,$(call packages,workloads)) -o $@

# The other tool of bench-coap.
$(B)/servers/bench_coap: $(B)/servers/bench_coap.o $(call archive,lib)
	@echo "  LINK $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $^ $(call pkg_libs,$(call packages,lib)) -o $@

# The tool of bench-power: a program of its own, in no archive.
$(B)/power/bench_power: $(B)/power/bench_power.o $(call archive,power lib)
	@echo "  LINK $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) \
		-Wl,--end-group $(call pkg_libs,$(call packages,power)) -o $@

# The bad network of the tests of datagrams: a program of its own, in no archive.
$(B)/servers/udp_proxy: $(B)/servers/udp_proxy.o $(call archive,lib)
	@echo "  LINK $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $^ $(call pkg_libs,$(call packages,lib)) -o $@

# The tool of bench-results: a program of its own, in no archive.
$(B)/results/bench_results: $(B)/results/bench_results.o $(call archive,results lib)
	@echo "  LINK $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) \
		-Wl,--end-group $(call pkg_libs,$(sort $(results_PKG) $(lib_PKG))) -o $@

# The tool of bench-capture: a program of its own, in no archive.
$(B)/capture/bench_capture: $(B)/capture/bench_capture.o $(call archive,capture ciphers protocols lib)
	@echo "  LINK $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) \
		-Wl,--end-group $(call pkg_libs,$(call packages,capture)) -o $@

# --- what people call ----------------------------------------------------
PREFIX ?= /usr/local
install: all ## build and install it: PREFIX=/usr/local, DESTDIR=
	$(Q)install -D -m 755 build/cipherwatt $(DESTDIR)$(PREFIX)/bin/cipherwatt

run: ## install what is missing, build, run the quick campaign (two minutes)
	$(Q)scripts/setup run
	$(Q)$(MAKE) --no-print-directory all
	$(Q)build/cipherwatt run testbed/campaigns/quick.yaml

check: ## install what is missing, build, pass every test
	$(Q)scripts/setup check
	$(Q)scripts/check

unit: $(TESTS) ## build and run the unit tests (SAN= chooses the build)
	$(Q)scripts/check-unit $(B) $(TESTS)

tests: $(TESTS) $(B)/cipherwatt $(B)/servers/udp_proxy $(if $(WITH_OPENSSL),$(B)/testbed/bench_tls) # build everything that scripts/check runs

check-kernel: $(B)/cipherwatt ## read chips through a stock kernel in QEMU (part of check)
	$(Q)CIPHERWATT=$< scripts/check-kernel

check-trixie: ## build and test inside a Debian 13 tree (root, debootstrap)
	$(Q)scripts/check-trixie

bench-tls: $(B)/cipherwatt $(B)/testbed/bench_tls ## servers and clients against nginx, wrk and more (BENCH=quick)
	$(Q)CIPHERWATT=$< BENCH_TOOL=$(B)/testbed/bench_tls scripts/bench-tls $(BENCH)

bench-coap: $(B)/cipherwatt $(B)/testbed/bench_tls $(B)/servers/bench_coap $(B)/workloads/bench_access ## CoAP over DTLS: our server against libcoap's (BENCH=quick)
	$(Q)CIPHERWATT=$< BENCH_BUILT=$(B) scripts/bench-coap $(BENCH)

bench-capture: $(B)/capture/bench_capture ## packets per second and memory of the handshake timeline
	$(Q)$<

bench-results: $(B)/cipherwatt $(B)/results/bench_results ## reports over many cells, and what intervals cover (minutes)
	$(Q)CIPHERWATT=$< BENCH_TOOL=$(B)/results/bench_results scripts/bench-results

bench-power: $(B)/power/bench_power ## integration, storage, sampling and memory of power meters
	$(Q)$<

layers: ## no #include points up the layer order
	$(Q)awk -f scripts/layers.awk $(SOURCES) $(HEADERS)

headers: $(HEADERS:%=$(B)/%.alone) ## every header compiles alone
$(B)/%.h.alone: %.h $(B)/flags
	@mkdir -p $(@D)
	$(Q)echo '#include "$<"' | $(CC) $(ALL_CFLAGS) $(call pkg_cflags,$($(patsubst %/,%,$(dir $<))_PKG)) \
		-Werror -fsyntax-only -x c - && touch $@

format: ## rewrite the sources to .clang-format
	$(Q)clang-format -i $(SOURCES) $(HEADERS)

format-check: ## fail where the sources differ from .clang-format
	$(Q)clang-format --dry-run --Werror $(SOURCES) $(HEADERS)

clean: ## remove build/
	$(Q)rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

.PHONY: all bench-capture bench-coap bench-power bench-results bench-tls install run check check-kernel check-trixie unit tests layers headers format format-check clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:
-include $(wildcard $(B)/*/*.d)
