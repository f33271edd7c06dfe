"""Spark's classes of plans and expressions that a query on the lake may consist of."""

CATALYST = "org.apache.spark.sql.catalyst."
TREE_NODE = CATALYST + "trees.TreeNode"
LOGICAL = CATALYST + "plans.logical."
EXPRESSIONS = CATALYST + "expressions."
COMMAND = "org.apache.spark.sql.execution.command."
DELTA = "org.apache.spark.sql.delta."


def _classes(package: str, short_names: str) -> frozenset[str]:
    return frozenset(package + name for name in short_names.split())


# Plans of the parser: queries, and statements that describe tables.
_QUERIES = _classes(
    LOGICAL,
    """
    Aggregate Distinct Except Filter Generate GlobalLimit Intersect Join LateralJoin LimitAll LocalLimit LocalRelation
    Offset OneRowRelation Pivot Project Repartition RepartitionByExpression Sample Sort SubqueryAlias Union UnresolvedHint
    UnresolvedWith Unpivot WithWindowDefinition
    """,
)
_STATEMENTS_THAT_READ = (
    _classes(
        LOGICAL,
        "DescribeColumn DescribeNamespace DescribeRelation ShowColumns ShowPartitions ShowTableProperties ShowTables",
    )
    | _classes(COMMAND, "DescribeQueryCommand ExplainCommand ShowNamespacesCommand")
    | _classes(DELTA + "commands.", "DescribeDeltaDetailCommand DescribeDeltaHistory")
)
_UNRESOLVED = _classes(
    CATALYST + "analysis.",
    """
    CurrentNamespace$ MultiAlias RelationTimeTravel UnresolvedAlias UnresolvedExtractValue
    UnresolvedFunction UnresolvedGenerator UnresolvedHaving UnresolvedInlineTable UnresolvedNamespace UnresolvedOrdinal
    UnresolvedPartitionSpec UnresolvedPipeAggregateOrdinal UnresolvedRelation UnresolvedStar UnresolvedStarExceptOrReplace
    UnresolvedSubqueryColumnAliases UnresolvedTVFAliases UnresolvedTable UnresolvedTableOrView
    UnresolvedTableValuedFunction
    """,
)
_EXPRESSIONS = _classes(
    EXPRESSIONS,
    """
    Add Alias And AttributeReference BitwiseAnd BitwiseNot BitwiseOr BitwiseXor CaseWhen Cast Coalesce Collate Concat
    CreateNamedStruct Cube CurrentDate CurrentRow$ CurrentTime CurrentTimestamp Divide EqualNullSafe EqualTo Exists
    GreaterThan GreaterThanOrEqual GroupingSets ILike In InSubquery IntegralDivide
    IsNotNull IsNull LambdaFunction LateralSubquery LessThan LessThanOrEqual Like LikeAll LikeAny ListQuery Lower
    Multiply NamedArgumentExpression Not NotLikeAll NotLikeAny Or Overlay PipeExpression PipeOperator RLike Remainder Rollup
    ScalarSubquery SemiStructuredExtract ShiftLeft ShiftRight ShiftRightUnsigned SortOrder SpecifiedWindowFrame
    StringLocate StringTrim StringTrimLeft StringTrimRight Substring Subtract TimestampAdd TimestampDiff UnaryMinus
    UnaryPositive UnboundedFollowing$ UnboundedPreceding$ UnresolvedCollation UnresolvedNamedLambdaVariable
    UnresolvedWindowExpression UnspecifiedFrame$ WindowExpression WindowSpecDefinition WindowSpecReference
    """,
)
# Values, which contain neither plans nor expressions.
PARSED_VALUES = (
    _classes(
        EXPRESSIONS,
        """
        Ascending$ Descending$ ExprId GenericInternalRow Literal NullsFirst$ NullsLast$ NumericEvalContext RangeFrame$
        RowFrame$
        """,
    )
    | _classes(
        CATALYST + "plans.",
        "Cross$ FullOuter$ Inner$ LeftAnti$ LeftOuter$ LeftSemi$ NaturalJoin RightOuter$ UsingJoin logical.JoinHint",
    )
    | _classes(CATALYST, "AliasIdentifier FunctionIdentifier analysis.UnresolvedAttribute")
    | _classes("org.apache.spark.sql.execution.", "CodegenMode$ CostMode$ ExtendedMode$ FormattedMode$ SimpleMode$")
    | {"org.apache.spark.sql.util.CaseInsensitiveStringMap", "scala.Enumeration$Val", "scala.Enumeration$Value"}
)
VALUE_PACKAGES = ("org.apache.spark.sql.types.", "org.apache.spark.unsafe.types.")
PARSED_NODES = _QUERIES | _STATEMENTS_THAT_READ | _UNRESOLVED | _EXPRESSIONS

# Plans of the analyser.
ANALYSED_RELATION = "org.apache.spark.sql.execution.datasources.LogicalRelation"
FILE_RELATION = "org.apache.spark.sql.execution.datasources.HadoopFsRelation"
EXPLAIN = COMMAND + "ExplainCommand"
DESCRIBE_QUERY = COMMAND + "DescribeQueryCommand"
ANALYSED_PLANS = (
    _classes(
        LOGICAL,
        """
        Aggregate CTERelationDef CTERelationRef DescribeColumn DescribeNamespace DescribeRelation Distinct Except Expand
        Filter Generate GlobalLimit Intersect Join LateralJoin LocalLimit LocalRelation Offset OneRowRelation Pivot Project
        Range Repartition RepartitionByExpression ResolvedHint Sample ShowTableProperties ShowTables Sort SubqueryAlias
        Union UnionLoop UnionLoopRef Unpivot Window WithCTE
        """,
    )
    | _classes(COMMAND, "DescribeQueryCommand ExplainCommand ShowNamespacesCommand")
    | _classes(
        DELTA + "commands.",
        """
        DescribeDeltaDetailCommand DescribeDeltaHistoryCommand ShowDeltaPartitionsCommand ShowDeltaTableColumnsCommand
        """,
    )
)
ANALYSED_LEAVES = _classes(EXPRESSIONS, "AttributeReference Literal")
PLAN_PACKAGES = (LOGICAL, "org.apache.spark.sql.execution.", DELTA)
# Parts of the names of expressions that run code which is not Spark SQL's own, read files, or ask the machine.
REFUSED_EXPRESSIONS = (
    *("ApplyFunction", "Avro", "CurrentUser", "Protobuf", "Python", "Reflect", "ScalaAggregator", "UDAF", "UDF"),
    *("V2Aggregator", "Xml", ".objects.", ".xml."),
)
