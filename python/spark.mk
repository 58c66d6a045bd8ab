# SPDX-License-Identifier: Apache-2.0
# Many models on more than one machine: Spark, GNU parallel.

spark_venv := $(BUILD)/venv-spark
check-spark: $(tool) $(shared_library) ## the Spark job on two executors, one of them killed; GNU parallel (downloads 0.6 GB once)
	sh test/checks/spark.sh $(spark_venv) $(tool) $(shared_library)
bench-spark: $(tool) $(shared_library) ## the Spark job on 100 copies of MODELS=folder, one executor and two, against scan
	sh test/checks/spark.sh $(spark_venv) $(tool) $(shared_library) --bench "$(MODELS)"

.PHONY: bench-spark check-spark
