# SPDX-License-Identifier: GPL-2.0
# What to type.  Kbuild has what is built; everything else is in tools/.

ROOT := $(CURDIR)

# KDIR= as usual; else the running kernel's headers, else a stock kernel's.
RUNNING := /lib/modules/$(shell uname -r)/build
KDIR ?= $(if $(wildcard $(RUNNING)/Makefile),$(RUNNING),$(shell $(ROOT)/tools/vm/kernel kdir 6.12 || $(ROOT)/tools/vm/kernel kdir 6.1))

.PHONY: modules
modules:
	@$(ROOT)/tools/setup/setup build
	$(MAKE) -C $(KDIR) M=$(ROOT) modules

.PHONY: install
install: modules
	$(MAKE) -C $(KDIR) M=$(ROOT) modules_install

.PHONY: demo check check-all bench torture shell lint kunit docs lab papers
demo:
	@$(ROOT)/tools/demo/demo

# Python is there before what is written in it.
check:
	@$(ROOT)/tools/setup/setup pytest
	@$(ROOT)/tools/check/check $(PARTS)

check-all:
	@$(ROOT)/tools/setup/setup pytest
	@$(ROOT)/tools/check/check --all

bench:
	@$(ROOT)/tools/bench/bench

torture:
	@$(ROOT)/tools/torture/torture

shell:
	@$(ROOT)/tools/check/shell

lint:
	@$(ROOT)/tools/setup/setup pytest
	@$(ROOT)/tools/check/lint

kunit:
	@$(ROOT)/kunit/run

docs:
	@$(ROOT)/tools/check/docs

lab:
	@$(ROOT)/tools/setup/setup lab
	$(MAKE) -C $(ROOT)/tools/lab

papers:
	@$(ROOT)/tools/setup/setup lab plot peers
	$(MAKE) -C $(ROOT)/study
	@$(ROOT)/out/study/lab paper all --write
	@$(ROOT)/out/study/lab matrix --write

.PHONY: clean
clean:
	find $(ROOT) -path $(ROOT)/.git -prune -o -type f \
		\( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name '.*.cmd' -o -name '.*.d' -o -name modules.order -o -name Module.symvers \) \
		-print0 | xargs -0 -r rm -f
	rm -rf $(ROOT)/out

.PHONY: help
help:
	@echo 'make           curpage.ko, for KDIR= or the running or a stock kernel;'
	@echo '               STUDY=1: with the strategies that are for comparison'
	@echo 'make demo      SLUB and curpage under the same load, in a guest; out/'
	@echo 'make check     the short tests, in some minutes; PARTS="lint lab ..." for'
	@echo '               some parts in full'
	@echo 'make check-all every test in full, in about half an hour'
	@echo 'make bench     curpage and its peers, in instructions and in time; out/'
	@echo 'make torture   all at once on every CPU, verified, for a long time'
	@echo 'make shell     a guest with the module loaded'
	@echo 'make lab       out/lab/lab: the allocator in user space'
	@echo 'make papers    the tables of five papers and what comes out here; the matrix'
	@echo 'make kunit     the KUnit suites: plain, debug, uml (kunit/run arm64 s390x: there)'
	@echo 'make lint      W=1, checkpatch, sparse, kernel-doc, shellcheck'
	@echo 'make docs      Documentation/ as HTML in out/docs'
	@echo 'make install   the module into the running kernel'\''s tree'
	@echo 'make clean     remove what was built in this folder'
