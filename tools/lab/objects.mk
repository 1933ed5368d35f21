# SPDX-License-Identifier: GPL-2.0
# How objects are compiled for every program that contains mm/ and the lab.  The
# including Makefile sets OUT before, and links its programs from these objects.
#
# SAN=1 turns the sanitizers on.  MMDIR is a copy of mm/ that is compiled instead.
# STUDY=0 leaves out what only comparison needs, as in a module for use.

LAB := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
LAB_ROOT := $(abspath $(LAB)/../..)

MMDIR := $(LAB_ROOT)/mm
STUDY ?= 1

CC := gcc
CFLAGS := -O2 -g -Wall -Wextra -std=gnu11 -Werror=implicit
CFLAGS += -fno-strict-aliasing	# as the kernel is built
# What the kernel does not ask of its code either.
CFLAGS += -Wno-unused-parameter -Wno-sign-compare
CFLAGS += -Wno-missing-field-initializers
ifneq ($(SAN),)
CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover
CFLAGS += -fno-omit-frame-pointer
endif
CPPFLAGS := -I$(LAB)/include -I$(LAB_ROOT)/include -I$(MMDIR) -include $(LAB)/kernel.h -MMD -MP
CPPFLAGS += $(if $(filter 1,$(STUDY)),-DCONFIG_CURPAGE_STUDY=1)

# size/best_map is the lab's own, whatever the strategies.
include $(LAB_ROOT)/mm/files.mk
MM := $(filter-out $(curpage-kernel),$(curpage-files))
MM := $(filter-out $(if $(filter 0,$(STUDY)),$(filter-out size/best_map,$(curpage-study))),$(MM))
MM := $(addprefix mm/,$(MM))
MACHINE := kernel smp rbtree xarray replay_core
# What every lab is linked from.  Verbs are listed in this order.
PROGRAM := lab options option_types mm_options trace chunks record run paging print gen sizemap
PROGRAM += lru random kaufman/load kaufman/sizes kaufman/run kaufman/print

# $(call objects,FOLDER,NAME...): OUT/FOLDER/NAME.o of each NAME.
objects = $(patsubst %,$(OUT)/$(1)/%.o,$(2))

# $(eval $(call compile,FOLDER,SOURCES,FLAGS)): the rule that compiles SOURCES/x.c
# to OUT/FOLDER/x.o.
define compile
$(OUT)/$(1)/%.o: $(2)/%.c $(MAKEFILE_LIST) $(OUT)/strategies
	@mkdir -p $$(@D)
	$$(CC) $$(CPPFLAGS) $$(CFLAGS) $(3) -c -o $$@ $$<
endef

# $(eval $(call machine,FOLDER,FLAGS)): the rules for mm/ and for the lab.
define machine
$(call compile,$(1)/mm,$(MMDIR),$(2))
$(call compile,$(1),$(LAB),$(2))
endef

# What was compiled with another STUDY is compiled anew.
$(OUT)/strategies: FORCE
	@mkdir -p $(@D)
	@echo '$(STUDY)' | cmp -s - $@ || echo '$(STUDY)' > $@

FORCE:
.PHONY: FORCE

# The machine with one CPU, of the programs lab and unit.
$(eval $(call machine,obj))
